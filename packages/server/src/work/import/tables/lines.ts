/** One line of a text, without its end. */
export type Line = {
  /** From 1. */
  number: number
  text: string
  /** Whether a line end followed. False only for the last line of a text. */
  ended: boolean
  /** The line was longer than `LONGEST_LINE`. `text` is its beginning. */
  tooLong: boolean
}

/** Characters. A longer line is not a row and must not fill the memory. */
export const LONGEST_LINE = 1 << 20

/**
 * The lines of a text, with or without a byte order mark, ended by LF or CRLF. They come in portions, because a promise
 * for each line would cost more than reading it. `encoding`: as `TextDecoder` names it.
 */
export async function* readLines(
  bytes: AsyncIterable<Uint8Array>,
  encoding = 'utf-8',
): AsyncGenerator<Line[]> {
  const decoder = new TextDecoder(encoding)
  let number = 0
  let rest = ''
  /** The beginning of a line that is too long is kept. The rest is skipped. */
  let skipping = false

  const lineOf = (text: string, ended: boolean): Line => {
    number += 1
    const tooLong = skipping || text.length > LONGEST_LINE
    skipping = false
    if (tooLong) return { number, text: text.slice(0, LONGEST_LINE), ended, tooLong }
    const isCrLf = text.charCodeAt(text.length - 1) === 13
    return { number, text: isCrLf ? text.slice(0, -1) : text, ended, tooLong }
  }

  for await (const chunk of bytes) {
    const more = decoder.decode(chunk, { stream: true })
    // The beginning of a line that is too long is in `rest`.
    if (skipping && !more.includes('\n')) continue
    const text = rest + more
    const lines: Line[] = []
    let start = 0
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      lines.push(lineOf(text.slice(start, end), true))
      start = end + 1
    }
    rest = text.slice(start)
    if (rest.length > LONGEST_LINE) {
      rest = rest.slice(0, LONGEST_LINE)
      skipping = true
    }
    if (lines.length > 0) yield lines
  }
  rest += decoder.decode()
  if (rest !== '') yield [lineOf(rest, false)]
}
