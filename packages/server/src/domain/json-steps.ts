import type { Steps } from './steps.ts'
import { plainJson } from './text/plain-json.ts'

/** Characters that one step reads: some 100 microseconds. */
const STEP_CHARACTERS = 16 * 1024
/** Each open array or object is noted, so a text that nests deeper is refused. */
const MAX_DEPTH = 100

type Made = unknown[] | Record<string, unknown>

/** An array or object whose end has not been reached. `comma`: the last one between its elements or members. */
type Open = { start: number; comma: number; made: Made | null }

/**
 * Parses JSON in steps: returns what `JSON.parse` returns, and throws a `SyntaxError` where it does, or where a long
 * text nests too deep. `JSON.parse` gets runs of whole elements or members. Only what is too long for one step is put
 * together here.
 */
export function* parseJson(text: string, stepCharacters = STEP_CHARACTERS): Steps<unknown> {
  if (text.length <= stepCharacters) return JSON.parse(text)
  // The text is the only element of an array around it.
  const root: unknown[] = []
  const open: Open[] = [{ start: -1, comma: -1, made: root }]
  /** The number of open ones that are made, the outermost first. */
  let made = 1
  /** The innermost made one has everything before this index, which is after its bracket, a comma or an element. */
  let from = 0
  let after: 'bracket' | 'comma' | 'element' = 'bracket'

  /** Adds the elements or members before `end`, which is a comma, or the end of the innermost made one. */
  function add(end: number): void {
    const into = open[made - 1]!.made!
    const run = text.slice(from, end)
    const isBlank = BLANK.test(run)
    const mayBeBlank = after === 'element' || (after === 'bracket' && text[end] !== ',')
    if (isBlank ? !mayBeBlank : after === 'element') throw broken()
    if (Array.isArray(into)) for (const value of JSON.parse(`[${run}]`)) into.push(value)
    else addMembers(into, JSON.parse(`{${run}}`))
  }

  function addToComma(comma: number): void {
    if (comma < from) return
    add(comma)
    from = comma + 1
    after = 'comma'
  }

  /** Makes all that are open, so that the elements that they have so far can be added. */
  function makeOpen(): void {
    for (; made < open.length; made += 1) {
      const outer = open[made - 1]!
      const inner = open[made]!
      addToComma(outer.comma)
      if (after === 'element') throw broken()
      inner.made = text[inner.start] === '[' ? [] : {}
      attach(outer.made!, text.slice(from, inner.start), inner.made)
      from = inner.start + 1
      after = 'bracket'
    }
    addToComma(open[made - 1]!.comma)
  }

  function close(at: number): void {
    const ended = open.at(-1)!
    if (open.length === 1 || (text[ended.start] === '[') !== (text[at] === ']')) throw broken()
    if (made === open.length) {
      add(at)
      made -= 1
      from = at + 1
      after = 'element'
    }
    open.pop()
  }

  function onComma(at: number): void {
    open.at(-1)!.comma = at
    if (made === open.length && after === 'element') addToComma(at)
  }

  let nextStep = stepCharacters
  for (let at = 0; at < text.length; at += 1) {
    switch (text[at]) {
      case '"':
        at = endOfString(text, at)
        break
      case ',':
        onComma(at)
        break
      case '[':
      case '{':
        if (open.length > MAX_DEPTH) throw broken()
        open.push({ start: at, comma: -1, made: null })
        break
      case ']':
      case '}':
        close(at)
    }
    if (at < nextStep) continue
    makeOpen()
    nextStep = at + stepCharacters
    yield
  }
  if (open.length > 1) throw broken()
  add(text.length)
  if (root.length !== 1) throw broken()
  return root[0]
}

/** JSON's own white space. */
const BLANK = /^[ \t\n\r]*$/

/** Adds an array or object. `before`: the text between it and what precedes it, which has the key of a member. */
function attach(into: Made, before: string, value: Made): void {
  if (Array.isArray(into)) {
    if (!BLANK.test(before)) throw broken()
    into.push(value)
    return
  }
  // `null` joins nothing before it; a digit would join another one.
  const [key, ...others] = Object.keys(JSON.parse(`{${before}null}`))
  if (key === undefined || others.length > 0) throw broken()
  define(into, key, value)
}

function addMembers(into: Record<string, unknown>, members: Record<string, unknown>): void {
  for (const [key, value] of Object.entries(members)) define(into, key, value)
}

/** As `JSON.parse` does. An assignment to `__proto__` would set the prototype. */
function define(into: Record<string, unknown>, key: string, value: unknown): void {
  const isPlain = { value, writable: true, enumerable: true, configurable: true }
  Object.defineProperty(into, key, isPlain)
}

/** The index of the closing quote. */
function endOfString(text: string, start: number): number {
  for (
    let quote = text.indexOf('"', start + 1);
    quote !== -1;
    quote = text.indexOf('"', quote + 1)
  ) {
    let before = quote - 1
    while (text[before] === '\\') before -= 1
    if ((quote - before) % 2 === 1) return quote
  }
  throw broken()
}

function broken(): SyntaxError {
  return new SyntaxError('the text is not JSON, or nests too deep')
}

/** Elements that one step writes. */
const STEP_ELEMENTS = 500

/** The JSON of an array, as `plainJson` writes it. `encode`: the value of an element. */
export function* writeArray<Item>(
  items: readonly Item[],
  encode?: (item: Item) => unknown,
): Steps<string> {
  let text = ''
  for (let from = 0; from < items.length; from += STEP_ELEMENTS) {
    const part = items.slice(from, from + STEP_ELEMENTS)
    const run = plainJson(encode === undefined ? part : part.map(encode)).slice(1, -1)
    text += from === 0 ? run : `,${run}`
    yield
  }
  return `[${text}]`
}

/** As `writeArray`, of arrays that may be long. */
export function* writeArrays<Item>(
  arrays: readonly (readonly Item[])[],
  encode?: (item: Item) => unknown,
): Steps<string> {
  const texts: string[] = []
  for (const array of arrays) texts.push(yield* writeArray(array, encode))
  return `[${texts.join()}]`
}
