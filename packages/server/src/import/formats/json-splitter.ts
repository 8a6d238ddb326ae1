/** An element of an array in a JSON text. */
export type JsonElement = {
  /** The member whose array has it. Empty if the whole text is the array. */
  member: string
  /** The unparsed element. Only its beginning if it is too long. */
  text: string
  /** The line where it begins, from 1. */
  line: number
  /** Whether the text ends before the element does. */
  isCut: boolean
  /** Whether it has more than `LONGEST_ELEMENT` bytes. */
  isTooLong: boolean
}

/** Bytes. Parsing a longer element could fill the memory. */
export const LONGEST_ELEMENT = 4 << 20
/** Bytes that are kept of a longer one, for a report. */
const SHOWN_BYTES = 1_000
/** Bytes. A longer name is not that of a split member. */
const LONGEST_NAME = 100

const [LINE_END, QUOTE, BACKSLASH, COMMA] = [10, 34, 92, 44]
const [ARRAY, ARRAY_END, OBJECT, OBJECT_END] = [91, 93, 123, 125]

export type JsonSplitter = {
  /** The elements that end in these bytes. */
  feed(bytes: Uint8Array): JsonElement[]
  /** The element in which the text ends. Null if it ends between elements. */
  end(): JsonElement | null
  /** Whether the text has one of the arrays. */
  isFound(): boolean
  /** Whether the object or array around all has ended. */
  isClosed(): boolean
  /** The text so far without the elements. Null if that has more than `LONGEST_ELEMENT` bytes. */
  frame(): string | null
}

/**
 * Splits the unparsed elements off the arrays under `members` in a JSON object, or off an array that is the whole text,
 * whose name is empty. The text comes in pieces, and memory holds one element. So a broken element, or the end of a
 * truncated file, costs only itself, and each element has a line number. The frame is valid JSON unless the text is cut
 * off.
 */
export function jsonSplitter(members: readonly string[]): JsonSplitter {
  let line = 1
  /** Open arrays and objects. */
  let depth = 0
  let inString = false
  let isEscaped = false
  let isClosed = false
  let isFound = false
  let rootByte = 0
  /** The depth within the array that is being split. 0: none is. */
  let arrayDepth = 0
  let member = ''
  /** Whether the next text in the outermost object is a name, and the bytes of the last one. */
  let expectsName = false
  let name: number[] | null = null
  let lastName = ''

  let elementLine = 0
  let inElement = false
  const element = boundedBytes()
  const frame = boundedBytes()

  function elementOf(isCut: boolean): JsonElement {
    const isTooLong = element.isTooLong()
    const text = element.take().trim()
    inElement = false
    return { member, text, line: elementLine, isCut, isTooLong }
  }

  function open(byte: number): void {
    depth += 1
    if (depth === 1) {
      rootByte = byte
      expectsName = true
      if (byte === ARRAY && members.includes('')) enterArray('')
    } else if (depth === 2 && byte === ARRAY && rootByte === OBJECT && members.includes(lastName)) {
      enterArray(lastName)
    }
  }

  function enterArray(of: string): void {
    arrayDepth = depth
    member = of
    isFound = true
  }

  /** The end of a text. That of a name is remembered until its value begins. */
  function closeString(): void {
    inString = false
    if (name === null) return
    lastName = Buffer.from(name).toString()
    name = null
    expectsName = false
  }

  function feed(bytes: Uint8Array): JsonElement[] {
    const elements: JsonElement[] = []
    /** The first byte that neither the element nor the frame has. */
    let from = 0

    function beginElement(at: number): void {
      inElement = true
      elementLine = line
      from = at
    }
    function endElement(end: number): void {
      element.add(bytes.subarray(from, end))
      elements.push(elementOf(false))
      from = end
    }

    for (let at = 0; at < bytes.length; at += 1) {
      const byte = bytes[at]!
      if (byte === LINE_END) line += 1
      if (inString) {
        if (isEscaped) isEscaped = false
        else if (byte === BACKSLASH) isEscaped = true
        else if (byte === QUOTE) closeString()
        if (name !== null && name.length < LONGEST_NAME) name.push(byte)
        continue
      }
      if (byte <= 32) continue
      const isBetween = arrayDepth > 0 && depth === arrayDepth
      const isContainer = byte === OBJECT || byte === ARRAY
      const isEnd = byte === OBJECT_END || byte === ARRAY_END
      if (isBetween && !inElement && byte !== COMMA && !isEnd) beginElement(at)
      if (byte === QUOTE) {
        inString = true
        if (depth === 1 && rootByte === OBJECT && expectsName) name = []
      } else if (isContainer) {
        const wasSplitting = arrayDepth > 0
        open(byte)
        if (!wasSplitting && arrayDepth > 0) {
          frame.add(bytes.subarray(from, at + 1))
          from = at + 1
        }
      } else if (isEnd) {
        if (isBetween) {
          if (inElement) endElement(at)
          arrayDepth = 0
          from = at
        }
        depth = Math.max(0, depth - 1)
        if (inElement && depth === arrayDepth) endElement(at + 1)
        if (depth === 0) isClosed = true
      } else if (byte === COMMA) {
        if (isBetween && inElement) endElement(at)
        if (depth === 1) expectsName = true
      }
    }
    if (inElement) element.add(bytes.subarray(from))
    else if (arrayDepth === 0) frame.add(bytes.subarray(from))
    return elements
  }

  return {
    feed,
    end: () => (inElement ? elementOf(true) : null),
    isFound: () => isFound,
    isClosed: () => isClosed,
    frame: () => (frame.isTooLong() ? null : frame.text().replace(/^\ufeff/, '')),
  }
}

/** Bytes of a text, of which no more than the beginning is kept if they are too many. */
function boundedBytes() {
  let pieces: Uint8Array[] = []
  let length = 0
  const text = () => Buffer.concat(pieces).toString()
  return {
    add(bytes: Uint8Array): void {
      if (bytes.length === 0) return
      length += bytes.length
      if (length <= LONGEST_ELEMENT) pieces.push(bytes)
      else if (pieces.length !== 1 || pieces[0]!.length > SHOWN_BYTES) {
        pieces = [Buffer.concat([...pieces, bytes]).subarray(0, SHOWN_BYTES)]
      }
    },
    isTooLong: () => length > LONGEST_ELEMENT,
    text,
    /** The text. Afterwards there is none. */
    take(): string {
      const taken = text()
      pieces = []
      length = 0
      return taken
    },
  }
}
