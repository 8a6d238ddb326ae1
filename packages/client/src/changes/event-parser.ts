import { UnexpectedAnswerError } from '../errors.ts'

/** A server-sent event. */
export type ServerEvent = {
  /** `message` where the server names none. */
  event: string
  data: string
  /** The time after which to ask the server again, if it gave one. */
  retryMs: number | undefined
}

/** Characters. A page of 10,000 entries has some 4,000,000. */
const LONGEST_EVENT = 1 << 28
const DIGITS = /^\d+$/

/**
 * The events of a stream as they come (WHATWG HTML, section 9.2.6). An event that the stream cuts off is
 * left out. Rejects as `bytes` does, and with `UnexpectedAnswerError` if an event has more than `longest`
 * characters.
 */
export async function* readEvents(
  bytes: AsyncIterable<Uint8Array>,
  longest = LONGEST_EVENT,
): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder()
  const linesOf = lineSplitter(longest)
  let name = ''
  let data: string[] = []
  let retryMs: number | undefined
  let length = 0
  for await (const part of bytes) {
    for (const line of linesOf(decoder.decode(part, { stream: true }))) {
      if (line === '') {
        if (data.length > 0) yield { event: name || 'message', data: data.join('\n'), retryMs }
        name = ''
        data = []
        length = 0
        continue
      }
      const [field, value] = fieldIn(line)
      if (field === 'event') name = value
      else if (field === 'retry' && DIGITS.test(value)) retryMs = Number(value)
      else if (field === 'data') {
        data.push(value)
        length += value.length
        if (length > longest) throw new UnexpectedAnswerError()
      }
    }
  }
}

/** The name of a comment is empty. One space after the colon belongs to neither. */
function fieldIn(line: string): [field: string, value: string] {
  const colon = line.indexOf(':')
  if (colon < 0) return [line, '']
  return [line.slice(0, colon), line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)]
}

/**
 * Takes text as it comes and returns its complete lines. They end with LF, CR or CRLF. Each character is
 * looked at once, because the line of a page comes in many pieces.
 */
function lineSplitter(longest: number): (text: string) => Generator<string> {
  let begun: string[] = []
  let length = 0
  let endedWithReturn = false

  return function* split(text) {
    let at = endedWithReturn && text[0] === '\n' ? 1 : 0
    if (text !== '') endedWithReturn = text.at(-1) === '\r'
    const ending = /\r\n?|\n/g
    ending.lastIndex = at
    for (let end = ending.exec(text); end !== null; end = ending.exec(text)) {
      begun.push(text.slice(at, end.index))
      const line = begun.join('')
      begun = []
      length = 0
      at = ending.lastIndex
      yield line
    }
    begun.push(text.slice(at))
    length += text.length - at
    if (length > longest) throw new UnexpectedAnswerError()
  }
}
