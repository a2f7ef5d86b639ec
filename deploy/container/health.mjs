// The health check of the container: asks /health of the server where its variables say that it listens. Ends with code 0 or 1.
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';

const { PADDOCK_PORT, PADDOCK_SOCKET, PADDOCK_TLS_CERT } = process.env;
const place = PADDOCK_SOCKET ? { socketPath: PADDOCK_SOCKET } : { host: '127.0.0.1', port: PADDOCK_PORT || 1337 };
// It is the server of this container: whom its certificate names matters to others.
const options = { ...place, path: '/health', headers: { host: 'localhost' }, rejectUnauthorized: false, timeout: 4000 };

const asking = (PADDOCK_TLS_CERT ? requestHttps : requestHttp)(options, ({ statusCode }) =>
  process.exit(statusCode === 200 ? 0 : 1),
);
asking.on('timeout', () => process.exit(1));
asking.on('error', () => process.exit(1));
asking.end();
