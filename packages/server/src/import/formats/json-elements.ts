/** An element of an array in a JSON text. */
export type JsonElement = {
  text: string
  /** The line where it begins, from 1. */
  line: number
  /** Whether the text ends before the element does. */
  isCut: boolean
}

/** Yields the elements and returns the frame. */
export type JsonElements = Generator<JsonElement, string>

/**
 * Splits off the unparsed elements of the array under `member` in a JSON object. So a broken element, or
 * the end of a truncated file, costs only itself, and each element has a line number. The frame is the text
 * without the elements: valid JSON unless the text is cut off. Null if the text is not an object with such
 * an array.
 */
export function elementsOf(text: string, member: string): JsonElements | null {
  const start = arrayStart(text, member)
  return start === null ? null : elementsFrom(text, start)
}

function* elementsFrom(text: string, start: number): JsonElements {
  let line = 1
  let counted = 0
  let at = start
  for (;;) {
    at = skip(text, at, SPACE_AND_COMMA)
    if (at >= text.length || text[at] === ']' || text[at] === '}') break
    for (; counted < at; counted += 1) if (text.charCodeAt(counted) === 10) line += 1
    const end = endOfValue(text, at)
    yield { text: text.slice(at, end ?? text.length), line, isCut: end === null }
    at = end ?? text.length
  }
  return text.slice(0, start) + text.slice(at)
}

const SPACE = /[\s]*/y
const SPACE_AND_COMMA = /[\s,]*/y
const STRUCTURE = /["[\]{}]/g
const SCALAR = /[^\s,\]}]*/y

/** The beginning of the array's elements, at the first level of the outermost object. */
function arrayStart(text: string, member: string): number | null {
  let at = skip(text, 0, SPACE)
  if (text[at] !== '{') return null
  at += 1
  for (;;) {
    at = skip(text, at, SPACE_AND_COMMA)
    const afterKey = endOfString(text, at)
    if (afterKey === null) return null
    const key = text.slice(at + 1, afterKey - 1)
    at = skip(text, afterKey, SPACE)
    if (text[at] !== ':') return null
    at = skip(text, at + 1, SPACE)
    if (key === member) return text[at] === '[' ? at + 1 : null
    const end = endOfValue(text, at)
    if (end === null) return null
    at = end
  }
}

/** Null if the text ends first. */
function endOfValue(text: string, at: number): number | null {
  if (text[at] === '"') return endOfString(text, at)
  if (text[at] !== '{' && text[at] !== '[') return skip(text, at, SCALAR)
  let depth = 0
  let next = at
  for (;;) {
    STRUCTURE.lastIndex = next
    const found = STRUCTURE.exec(text)
    if (found === null) return null
    next = found.index + 1
    if (found[0] === '"') {
      const end = endOfString(text, found.index)
      if (end === null) return null
      next = end
    } else if (found[0] === '{' || found[0] === '[') depth += 1
    else depth -= 1
    if (depth === 0) return next
  }
}

function endOfString(text: string, at: number): number | null {
  if (text[at] !== '"') return null
  for (let quote = text.indexOf('"', at + 1); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let before = quote - 1
    while (text[before] === '\\') before -= 1
    if ((quote - before) % 2 === 1) return quote + 1
  }
  return null
}

/** The end of the JSON value that begins at `at`. */
function skip(text: string, at: number, what: RegExp): number {
  what.lastIndex = at
  what.test(text)
  return what.lastIndex
}
