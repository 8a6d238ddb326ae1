import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import type { Json } from './fleetgate.ts'

/** An answer as it came over the wire: nothing decompressed, nothing followed. */
export type Answer = {
  status: number
  headers: IncomingHttpHeaders
  rawHeaders: string[]
  bytes: Buffer
  text: string
  /** The parsed body; throws where it is no JSON. */
  json: Json
}

export type RequestOptions = {
  method?: string
  /** A value that is an array is sent as that many header lines. */
  headers?: Record<string, string | string[]>
  body?: string | Buffer
  /** Another of this machine's own addresses to send from, such as `127.0.0.2`. */
  localAddress?: string
}

const agent = new Agent({ keepAlive: true, maxSockets: 16 })

/** Sends one request; `target` goes into the request line as it is. */
export function request(
  api: string,
  target: string,
  { method = 'GET', headers = {}, body, localAddress }: RequestOptions = {},
): Promise<Answer> {
  const { hostname, port } = new URL(api)
  return new Promise((resolve, reject) => {
    const to = { hostname, port, path: target, method, headers, agent, localAddress }
    const sent = httpRequest(to, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk) => chunks.push(chunk))
      answer.on('error', reject)
      answer.on('end', () => {
        const bytes = Buffer.concat(chunks)
        resolve({
          status: answer.statusCode!,
          headers: answer.headers,
          rawHeaders: answer.rawHeaders,
          bytes,
          text: bytes.toString(),
          get json() {
            return JSON.parse(this.text)
          },
        })
      })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
