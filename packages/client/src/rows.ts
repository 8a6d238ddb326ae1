import { ConnectionError, UnexpectedAnswerError } from './errors.ts'

const HEAD = /^\s*\{\s*(?:"statusCode"\s*:\s*200\s*,\s*)?"result"\s*:\s*\[/
/** Longer than any head. An answer without a match by then is something else. */
const LONGEST_HEAD = 200
const TAIL = /^\s*\]\s*\}\s*$/
/** Characters. The client gives up on a longer row. */
const LONGEST_ROW = 1 << 20
const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPENING = 0x7b
const CLOSING = 0x7d

/**
 * The rows of `{"statusCode":200,"result":[…]}` as they come, several at a time. Only the last piece is
 * kept, however long the answer is. Rejects with `ConnectionError` after the complete rows if the answer
 * ends early, and with `UnexpectedAnswerError` if it is something else.
 */
export async function* readRows<Row>(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Row[]> {
  const decoder = new TextDecoder()
  const split = rowSplitter()
  for await (const part of bytes) {
    const rows = split(decoder.decode(part, { stream: true }))
    if (rows !== '') yield parsed(rows)
  }
  if (!split.isComplete()) throw new ConnectionError('the response ended early')
}

function parsed<Row>(rows: string): Row[] {
  try {
    return JSON.parse(`[${rows}]`)
  } catch {
    throw new UnexpectedAnswerError()
  }
}

/** Takes text as it comes and returns its complete rows, with the commas between them. */
function rowSplitter(): { (text: string): string; isComplete(): boolean } {
  let rest = ''
  /** The part of `rest` that has been scanned. */
  let at = 0
  let depth = 0
  let isInText = false
  let isBegun = false

  function split(text: string): string {
    rest += text
    if (!isBegun && !begin()) return ''
    const end = endOfRows()
    const rows = rest.slice(0, end).replace(/^\s*,/, '')
    rest = rest.slice(end)
    at -= end
    if (rest.length > LONGEST_ROW) throw new UnexpectedAnswerError()
    return rows
  }

  function begin(): boolean {
    const head = HEAD.exec(rest)?.[0]
    if (head === undefined) {
      if (rest.length > LONGEST_HEAD || /^\s*[^\s{]/.test(rest)) throw new UnexpectedAnswerError()
      return false
    }
    rest = rest.slice(head.length)
    isBegun = true
    return true
  }

  /** The end of the last complete row; 0 if there is none. */
  function endOfRows(): number {
    let end = 0
    for (; at < rest.length; at++) {
      const code = rest.charCodeAt(at)
      if (isInText) {
        if (code === BACKSLASH) at++
        else if (code === QUOTE) isInText = false
      } else if (code === QUOTE) isInText = true
      else if (code === OPENING) depth++
      else if (code === CLOSING && --depth === 0) end = at + 1
      // The last bracket closes the answer itself, not a row.
      else if (depth < 0) break
    }
    return end
  }

  return Object.assign(split, { isComplete: () => isBegun && TAIL.test(rest) })
}
