/** A complete answer of HTTP/1.1. */
export type Answer = {
  status: number
  /** The content coding; undefined without one. */
  coding: string | undefined
  /** Whether it announces the end of the connection. */
  endsConnection: boolean
  body: Buffer
}

export type AnswerReader = {
  /** Throws if the bytes are not an answer. */
  take(bytes: Buffer): void
  /** Whether an answer is incomplete so far. */
  isWithin(): boolean
}

type Head = Omit<Answer, 'body'> & {
  /** Bytes of the body; null if it is chunked. */
  length: number | null
}

const HEAD_END = '\r\n\r\n'
const LINE_END = '\r\n'
const NO_BODY = new Set([204, 304])
const NOTHING: Buffer = Buffer.alloc(0)

/**
 * Reads answers from the bytes of a connection, strictly by RFC 9112: each has a length or is chunked. Calls back
 * with each complete one.
 */
export function answerReader(onAnswer: (answer: Answer) => void): AnswerReader {
  let rest: Buffer = NOTHING
  let head: Head | undefined
  let parts: Buffer[] = []
  /** Missing bytes of a body with a length, or of a chunk with its line end. */
  let left = 0
  let isLastChunk = false

  /** The bytes before a mark, once the mark has arrived. */
  function until(mark: string): string | undefined {
    const end = rest.indexOf(mark)
    if (end === -1) return undefined
    const text = rest.toString('latin1', 0, end)
    rest = rest.subarray(end + mark.length)
    return text
  }

  function finish({ length: _, ...answer }: Head): void {
    const body = parts.length === 1 ? parts[0]! : Buffer.concat(parts)
    head = undefined
    parts = []
    isLastChunk = false
    onAnswer({ ...answer, body })
  }

  function readHead(): boolean {
    const text = until(HEAD_END)
    if (text === undefined) return false
    head = headOf(text)
    left = head.length ?? 0
    if (head.length === 0) finish(head)
    return true
  }

  function readChunkSize(): boolean {
    const line = until(LINE_END)
    if (line === undefined) return false
    const size = Number.parseInt(line, 16)
    if (Number.isNaN(size)) throw new Error(`a chunk without a size: ${line.slice(0, 100)}`)
    isLastChunk = size === 0
    left = size + LINE_END.length
    return true
  }

  function readBody(of: Head): boolean {
    const isChunked = of.length === null
    const part = rest.subarray(0, left)
    rest = rest.subarray(part.length)
    left -= part.length
    // The line end after a chunk is not part of the body.
    const content = isChunked ? part.subarray(0, Math.max(0, part.length - ends(left))) : part
    if (content.length > 0) parts.push(content)
    if (left === 0 && (!isChunked || isLastChunk)) finish(of)
    return part.length > 0
  }

  return {
    take(bytes) {
      rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes])
      let goesOn = true
      while (goesOn && rest.length > 0) {
        if (head === undefined) goesOn = readHead()
        else if (head.length === null && left === 0) goesOn = readChunkSize()
        else goesOn = readBody(head)
      }
    },
    isWithin: () => head !== undefined || rest.length > 0,
  }
}

/** The number of available bytes of a line end. */
function ends(left: number): number {
  return Math.max(0, LINE_END.length - left)
}

function headOf(text: string): Head {
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(text)?.[1])
  if (Number.isNaN(status)) throw new Error(`no answer: ${text.slice(0, 100)}`)
  const header = (name: string) => new RegExp(`\r\n${name}: ?([^\r]*)`, 'i').exec(text)?.[1]
  const [length, coding] = [header('content-length'), header('transfer-encoding')]
  const isBare = NO_BODY.has(status)
  if (!isBare && coding !== 'chunked' && length === undefined) {
    throw new Error('an answer without an end')
  }
  return {
    status,
    coding: header('content-encoding'),
    endsConnection: header('connection')?.toLowerCase() === 'close',
    length: isBare ? 0 : coding === 'chunked' ? null : Number(length),
  }
}
