// requests: a client and a server in one Node process, recorded with its trace events: timers,
// promises, file reads and sockets become async b/e events; garbage collection and script
// compilation become X and B/E.
//
//	node --trace-event-categories v8,node,node.async_hooks,node.fs.sync requests.mjs N

import { createServer, request } from 'node:http';
import { readFile } from 'node:fs/promises';
import { createHash } from 'node:crypto';

const total = Number(process.argv[2] ?? 8);

function digest(text, rounds) {
  let hash = text;
  for (let i = 0; i < rounds; i++) hash = createHash('sha256').update(hash).digest('hex');
  return hash;
}

async function answer(asked, reply) {
  const text = await readFile(new URL(import.meta.url), 'utf8');
  reply.end(digest(text, 1 + Number(asked.url.slice(1)) * 20));
}

function ask(port, n) {
  return new Promise((resolve, reject) => {
    request({ port, path: `/${n}`, agent: false }, (reply) => {
      let body = '';
      reply.on('data', (chunk) => (body += chunk));
      reply.on('end', () => resolve(body));
    }).on('error', reject).end();
  });
}

const server = createServer(answer);
server.listen(0, async () => {
  const { port } = server.address();
  for (let n = 0; n < total; n += 2) await Promise.all([ask(port, n), ask(port, n + 1)]);
  server.close();
});
