import { ConnectionError } from './errors.ts'

const HEAD = '{"statusCode":200,"result":['
const TAIL = ']}'
const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPENING = 0x7b
const CLOSING = 0x7d

/**
 * The rows of `{"statusCode":200,"result":[…]}` as they come, some at a time: what is kept is what came
 * last, however long the answer is. An answer that breaks off rejects with `ConnectionError`, after the
 * rows that came whole.
 */
export async function* readRows<Row>(body: AsyncIterable<Uint8Array>): AsyncGenerator<Row[]> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const split = rowSplitter()
  for await (const bytes of body) {
    const rows = split(decoder.decode(bytes, { stream: true }))
    if (rows !== '') yield JSON.parse(`[${rows}]`)
  }
  if (!split.isComplete()) throw new ConnectionError('the answer broke off')
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
    if (!isBegun) {
      if (rest.length < HEAD.length) return ''
      if (!rest.startsWith(HEAD)) throw new ConnectionError('the answer is none of a Fleetgate API')
      rest = rest.slice(HEAD.length)
      isBegun = true
    }
    const end = endOfRows()
    const rows = rest.slice(rest.startsWith(',') ? 1 : 0, end)
    rest = rest.slice(end)
    at -= end
    return rows
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

  return Object.assign(split, { isComplete: () => isBegun && rest === TAIL })
}
