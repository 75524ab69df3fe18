"""What happens: commands become records and events, each in one transaction of the workspace's store."""
