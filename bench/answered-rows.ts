import { Agent, get, type IncomingMessage } from 'node:http'

/** Keeps one connection for each parallel request. */
const agent = new Agent({ keepAlive: true })
const BRACE = 0x7b

/** Reads a whole answer and counts its objects by their braces. Throws unless the status is 200. */
export async function countObjects(
  port: number,
  path: string,
  headers: Record<string, string>,
): Promise<{ objects: number; bytes: number }> {
  const response = await ask(port, path, headers)
  let objects = 0
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length
    // A loop over bytes would take longer than the server takes to write them.
    for (let at = chunk.indexOf(BRACE); at !== -1; at = chunk.indexOf(BRACE, at + 1)) objects++
  }
  return { objects, bytes }
}

/** Reads a whole answer as JSON. */
export async function readJson<T>(
  port: number,
  path: string,
  headers: Record<string, string>,
): Promise<T> {
  const chunks: Buffer[] = []
  for await (const chunk of await ask(port, path, headers)) chunks.push(chunk)
  return JSON.parse(Buffer.concat(chunks).toString())
}

async function ask(port: number, path: string, headers: Record<string, string>) {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get({ host: '127.0.0.1', port, path, headers, agent }, resolve).on('error', reject)
  })
  if (response.statusCode !== 200) {
    const said = (await response.toArray()).join('')
    throw new Error(`${response.statusCode} to ${path}: ${said}`)
  }
  return response
}
