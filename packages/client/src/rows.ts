import { ConnectionError, UnexpectedAnswerError } from './errors.ts'

const HEAD = /^\s*\{\s*(?:"statusCode"\s*:\s*200\s*,\s*)?"result"\s*:\s*\[/
/** Longer than any head: what does not match by then is something else. */
const LONGEST_HEAD = 200
const TAIL = /^\s*\]\s*\}\s*$/
const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPENING = 0x7b
const CLOSING = 0x7d

/**
 * The rows of `{"statusCode":200,"result":[…]}` as they come, some at a time: what is kept is what came
 * last, however long the answer is. Rejects with `ConnectionError` where the answer ends before its rows
 * do, after those that came whole; with `UnexpectedAnswerError` where it is something else.
 */
export async function* readRows<Row>(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Row[]> {
  const decoder = new TextDecoder()
  const split = rowSplitter()
  for await (const part of bytes) {
    const rows = split(decoder.decode(part, { stream: true }))
    if (rows !== '') yield parsed(rows)
  }
  if (!split.isComplete()) throw new ConnectionError('the answer broke off')
}

function parsed<Row>(rows: string): Row[] {
  try {
    return JSON.parse(`[${rows}]`)
  } catch {
    throw new UnexpectedAnswerError()
  }
}

/** Takes text as it comes, and gives the rows that are whole with it, with the commas between them. */
function rowSplitter(): { (text: string): string; isComplete(): boolean } {
  let rest = ''
  /** How much of `rest` was looked at. */
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

  /** Behind the last row that is whole; 0 where none is. */
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
      // The last of the answer's own closes what no row has opened.
      else if (depth < 0) break
    }
    return end
  }

  return Object.assign(split, { isComplete: () => isBegun && TAIL.test(rest) })
}
