// A proxy for nektos/act's artifact server. Two differences from GitHub's server break @actions/artifact: act's refuses
// fields that it does not know, and its signed addresses have a signature that is not encoded. Plain JavaScript for
// Node 20, because it runs before anything is installed.

import { createServer } from 'node:http';

/**
 * @param target address of act's server
 * @returns address of the proxy, and a function that stops it
 */
export async function startArtifactProxy(target) {
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const { authorization = '' } = request.headers;
    const answer = await fetch(`${target}${request.url}`, {
      method: request.method,
      headers: { authorization, 'content-type': 'application/json' },
      body: withoutUnknown(Buffer.concat(chunks).toString('utf8')),
    });
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(encodeSignature(await answer.text()));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, stop: () => server.close() };
}

function withoutUnknown(body) {
  const { mime_type: _, ...known } = JSON.parse(body);
  return JSON.stringify(known);
}

function encodeSignature(body) {
  return body.replace(/(\?sig=)([\w=-]+)/, (_, name, signature) => `${name}${encodeURIComponent(signature)}`);
}
