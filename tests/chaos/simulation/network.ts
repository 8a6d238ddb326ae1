import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type Duplex, duplexPair } from 'node:stream'

/** A listener without a port: bytes pass through Node's HTTP parser to its handler. */
export type Wire = {
  /** Sends a request and reads the answer; undefined if the connection ended early. */
  exchange(request: Buffer): Promise<HttpAnswer | undefined>
  /** Opens a connection, which the caller reads or closes. */
  connect(): Duplex
  /** Resolves when every received request has been handled. */
  settled(): Promise<void>
}

export type HttpAnswer = { status: number; headers: ReadonlyMap<string, string>; body: string }

export function openWire(
  handle: (message: IncomingMessage, response: ServerResponse) => Promise<void>,
): Wire {
  const inFlight = new Set<Promise<void>>()
  const server = createServer((message, response) => {
    const handling = handle(message, response).finally(() => inFlight.delete(handling))
    inFlight.add(handling)
  })

  function connect(): Duplex {
    const [near, far] = duplexPair()
    far.on('error', () => undefined)
    near.on('error', () => undefined)
    // As with sockets: a closed side receives nothing.
    near.once('close', () => far.destroy())
    far.once('close', () => {
      if (!far.writableFinished) near.destroy()
    })
    server.emit('connection', far)
    return near
  }

  return {
    connect,
    async exchange(request) {
      const connection = connect()
      connection.write(request)
      return readAnswer(connection)
    },
    async settled() {
      while (inFlight.size > 0) await Promise.all(inFlight)
    },
  }
}

/** A request in wire format. `headers`: in addition to the common ones. */
export function requestBytes(
  method: string,
  target: string,
  headers: Readonly<Record<string, string>>,
  body = '',
): Buffer {
  const lines = [`${method} ${target} HTTP/1.1`, 'Host: simulation', 'Connection: close']
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`)
  if (body !== '') lines.push(`Content-Length: ${Buffer.byteLength(body)}`)
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`)
}

/** Reads an answer to the end of its connection. */
export function readAnswer(connection: Duplex): Promise<HttpAnswer | undefined> {
  const chunks: Buffer[] = []
  return new Promise((resolve) => {
    connection.on('data', (chunk: Buffer) => chunks.push(chunk))
    connection.once('close', () => resolve(parseAnswer(Buffer.concat(chunks))))
    connection.once('end', () => connection.destroy())
  })
}

function parseAnswer(bytes: Buffer): HttpAnswer | undefined {
  const end = bytes.indexOf('\r\n\r\n')
  if (end === -1) return undefined
  const [statusLine, ...lines] = bytes.toString('latin1', 0, end).split('\r\n')
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    }),
  )
  const content = bytes.subarray(end + 4)
  const body = headers.has('transfer-encoding') ? unchunked(content) : content
  if (body === undefined || body.length < Number(headers.get('content-length') ?? 0))
    return undefined
  return { status: Number(statusLine!.split(' ')[1]), headers, body: body.toString() }
}

function unchunked(content: Buffer): Buffer | undefined {
  const chunks: Buffer[] = []
  for (let at = 0; ; ) {
    const lineEnd = content.indexOf('\r\n', at)
    if (lineEnd === -1) return undefined
    const size = Number.parseInt(content.toString('latin1', at, lineEnd), 16)
    if (size === 0) return Buffer.concat(chunks)
    const start = lineEnd + 2
    if (start + size > content.length) return undefined
    chunks.push(content.subarray(start, start + size))
    at = start + size + 2
  }
}
