/** One raw answer. Header names in lower case. */
export type HttpAnswer = { status: number; headers: Map<string, string[]>; body: Buffer }

/** The bytes are not an HTTP answer. */
export class BrokenAnswer extends Error {
  override name = 'BrokenAnswer'
}

const STATUS_LINE = /^HTTP\/1\.1 (\d{3}) [\t -~]*$/
const FIELD = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+): ?([\t -~\x80-\xff]*)$/
const CHUNK_SIZE = /^[0-9a-f]{1,8}$/i
const CRLF = '\r\n'

/**
 * The answer that begins at `from` and its end; undefined if it is incomplete. Rejects everything that a strict
 * parser could understand in two ways (RFC 9112). Throws `BrokenAnswer`.
 */
export function readAnswer(
  bytes: Buffer,
  from: number,
  isHead: boolean,
): { answer: HttpAnswer; end: number } | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n', from)
  if (headEnd === -1) return undefined
  const [statusLine, ...fields] = bytes.toString('latin1', from, headEnd).split(CRLF)
  const status = Number(STATUS_LINE.exec(statusLine!)?.[1] ?? broken('status line', statusLine!))
  const headers = readFields(fields)
  const bodyStart = headEnd + 4
  const framed = isHead || hasNoBody(status) ? { body: EMPTY, end: bodyStart } : undefined
  const read = framed ?? readBody(bytes, bodyStart, headers)
  return read && { answer: { status, headers, body: read.body }, end: read.end }
}

const EMPTY = Buffer.alloc(0)

function hasNoBody(status: number): boolean {
  return status < 200 || status === 204 || status === 304
}

function readFields(lines: readonly string[]): Map<string, string[]> {
  const headers = new Map<string, string[]>()
  for (const line of lines) {
    const [, name, value] = FIELD.exec(line) ?? broken('header', line)
    const key = name!.toLowerCase()
    const values = headers.get(key)
    if (values === undefined) headers.set(key, [value!])
    else values.push(value!)
  }
  return headers
}

type Read = { body: Buffer; end: number } | undefined

function readBody(bytes: Buffer, start: number, headers: Map<string, string[]>): Read {
  const lengths = headers.get('content-length') ?? []
  const codings = headers.get('transfer-encoding') ?? []
  if (lengths.length + codings.length !== 1) {
    broken('framing', `${lengths.length} lengths and ${codings.length} transfer codings`)
  }
  if (codings.length === 1) {
    return codings[0] === 'chunked' ? readChunks(bytes, start) : broken('coding', codings[0]!)
  }
  if (!/^\d+$/.test(lengths[0]!)) broken('length', lengths[0]!)
  const end = start + Number(lengths[0])
  return bytes.length < end ? undefined : { body: bytes.subarray(start, end), end }
}

function readChunks(bytes: Buffer, start: number): Read {
  const chunks: Buffer[] = []
  for (let at = start; ; ) {
    const sizeEnd = bytes.indexOf(CRLF, at)
    if (sizeEnd === -1) return undefined
    const written = bytes.toString('latin1', at, sizeEnd)
    if (!CHUNK_SIZE.test(written)) broken('chunk size', written)
    const size = Number.parseInt(written, 16)
    const from = sizeEnd + 2
    at = from + size + 2
    if (bytes.length < at) return undefined
    if (bytes.toString('latin1', at - 2, at) !== CRLF)
      broken('chunk', `no line end after ${size} octets`)
    if (size === 0) return { body: Buffer.concat(chunks), end: at }
    chunks.push(bytes.subarray(from, from + size))
  }
}

function broken(what: string, text: string): never {
  throw new BrokenAnswer(`${what}: ${JSON.stringify(text.slice(0, 200))}`)
}
