// Leads every TLS connection to this machine, as a hosts file or a network's alias does; names and certificates stay.
const tls = require("node:tls");
const connect = tls.connect;
tls.connect = (options, ...rest) =>
  connect(
    {
      ...options,
      port: Number(process.env.TLS_PORT),
      lookup: (name, asked, done) =>
        asked.all ? done(null, [{ address: "127.0.0.1", family: 4 }]) : done(null, "127.0.0.1", 4),
    },
    ...rest,
  );
