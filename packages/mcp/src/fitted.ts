/** The bytes of UTF-8 that an answer may have. A model pays for each, and long answers fill its context. */
export const MAX_BYTES = 8_192
/** Texts of an answer are cut after this many characters, so that no name or address fills it. */
const MAX_TEXT = 120

/** The fields with sentences of this server. */
const ADVICE = new Set(['note', 'to_continue'])

/** The part of the rows that the caller asked for, and how to ask for less. */
export type Part = {
  skip: number
  limit: number
  /** How to get the rows from this one on, or fewer: a sentence. */
  rest(from: number): string
}

/** The rest of a tool that takes `skip`. `narrower`: how to ask for less. */
export function bySkip(narrower: string): Part['rest'] {
  return (from) => `Call again with skip=${from}, or ${narrower}.`
}

/**
 * The text of an answer: `head`, and under `name` as many of the rows as `part` asks for and as fit. Rows that are left
 * out are counted, with how to get them.
 */
export function fitted(
  head: object,
  name: string,
  rows: readonly object[],
  { skip, limit, rest }: Part,
): string {
  for (let end = Math.max(skip, Math.min(rows.length, skip + limit)); ; end -= 1) {
    const leftOut = rows.length - end
    const text = textOf({
      ...head,
      ...(skip > 0 && { skipped: Math.min(skip, rows.length) }),
      [name]: rows.slice(skip, end),
      ...(leftOut > 0 && {
        left_out: leftOut,
        to_continue: `${leftOut} of ${rows.length} rows are left out. ${rest(end)}`,
      }),
    })
    if (Buffer.byteLength(text) <= MAX_BYTES || end <= skip) return text
  }
}

/** An answer without rows. */
export function textOf(answer: object): string {
  return JSON.stringify(answer, (name, value) =>
    typeof value === 'string' && !ADVICE.has(name) ? cut(value) : value,
  )
}

function cut(text: string): string {
  if (text.length <= MAX_TEXT) return text
  return `${Array.from(text).slice(0, MAX_TEXT).join('')}…`
}

/** A text of at most `MAX_BYTES`, such as a refusal that names each of many faults. */
export function bounded(text: string): string {
  if (Buffer.byteLength(text) <= MAX_BYTES) return text
  const end = ' … (cut)'
  let kept = text.slice(0, MAX_BYTES)
  while (Buffer.byteLength(kept + end) > MAX_BYTES) kept = kept.slice(0, -100)
  return kept + end
}
