import { get, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'

/** An answer in wire format: its status, alternating header names and values, and its body. */
export type CapturedAnswer = { status: number; headers: string[]; bodyBase64: string }

/** Headers that `node:http` writes automatically, for every server alike. */
const WRITTEN_BY_NODE = ['date', 'connection', 'keep-alive']

/** The answer to one request; throws on another status. */
export async function captureAnswer(
  port: number,
  path: string,
  headers: Record<string, string>,
  status = 200,
): Promise<CapturedAnswer> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get({ host: '127.0.0.1', port, path, headers }, resolve).on('error', reject)
  })
  const body = await buffer(response)
  if (response.statusCode !== status) {
    throw new Error(`${response.statusCode} to ${path}: ${body.toString('utf8', 0, 1_000)}`)
  }
  const pairs = Array.from({ length: response.rawHeaders.length / 2 }, (_, i) =>
    response.rawHeaders.slice(2 * i, 2 * i + 2),
  )
  const own = pairs.filter(([name]) => !WRITTEN_BY_NODE.includes(name!.toLowerCase())).flat()
  return { status, headers: own, bodyBase64: body.toString('base64') }
}
