"""How a call is processed: the request, the stages of the pipeline, and the answer."""
