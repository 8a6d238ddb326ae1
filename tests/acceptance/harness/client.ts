import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { noteAnswer } from './asked.ts'
import type { Json } from './fleetgate.ts'

/** An answer as it came over the wire: neither decompressed nor redirected. */
export type Answer = {
  status: number
  headers: IncomingHttpHeaders
  rawHeaders: string[]
  bytes: Buffer
  text: string
  /** The parsed body; throws if it is not JSON. */
  json: Json
}

export type RequestOptions = {
  method?: string
  /** An array is sent as one header line for each value. */
  headers?: Record<string, string | string[]>
  body?: string | Buffer
  /** Another address of this machine to send from, such as `127.0.0.2`. */
  localAddress?: string
}

const agent = new Agent({ keepAlive: true, maxSockets: 16 })

/** Sends one request; `target` goes into the request line unchanged. */
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
        noteAnswer(`${method} ${target}`, answer.statusCode!, answer.headers, bytes)
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
