import { get, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'

/** An answer as it was on the wire: names and values of its headers in turn, and its body. */
export type CapturedAnswer = { headers: string[]; body: string }

/** What `node:http` writes by itself, for every server alike. */
const WRITTEN_BY_NODE = ['date', 'connection', 'keep-alive']

export async function captureAnswer(
  port: number,
  path: string,
  key: string,
): Promise<CapturedAnswer> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path, headers: { 'x-api-key': key } }
    get(options, resolve).on('error', reject)
  })
  const body = await text(response)
  if (response.statusCode !== 200) throw new Error(`${response.statusCode} to ${path}: ${body}`)
  const pairs = Array.from({ length: response.rawHeaders.length / 2 }, (_, i) =>
    response.rawHeaders.slice(2 * i, 2 * i + 2),
  )
  const headers = pairs.filter(([name]) => !WRITTEN_BY_NODE.includes(name!.toLowerCase())).flat()
  return { headers, body }
}
