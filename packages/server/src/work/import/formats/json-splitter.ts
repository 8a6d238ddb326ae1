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

const LINE_END = 10
const SPACE = 32
const QUOTE = 34
const COMMA = 44
const ARRAY = 91
const BACKSLASH = 92
const ARRAY_END = 93
const OBJECT = 123
const OBJECT_END = 125

/**
 * Splits the unparsed elements off the arrays under `members` in a JSON object, or off an array that is the whole text,
 * whose name is empty. The text comes in pieces, and memory holds one element. So a broken element, or the end of a
 * truncated file, costs only itself, and each element has a line number. The frame is valid JSON unless the text is cut
 * off.
 */
export class JsonSplitter {
  private readonly members: readonly string[]
  private line = 1
  /** Open arrays and objects. */
  private depth = 0
  private inString = false
  private isEscaped = false
  private hasClosed = false
  private hasArray = false
  private rootByte = 0
  /** The depth within the array that is being split. 0: none is. */
  private arrayDepth = 0
  private member = ''
  /** Whether the next text in the outermost object is a name, and the bytes of the last one. */
  private expectsName = false
  private name: number[] | null = null
  private lastName = ''
  private elementLine = 0
  private inElement = false
  private readonly element = boundedBytes()
  private readonly between = boundedBytes()
  /** The first of the current bytes that neither the element nor the frame has. */
  private from = 0

  constructor(members: readonly string[]) {
    this.members = members
  }

  /** The elements that end in these bytes. */
  feed(bytes: Uint8Array): JsonElement[] {
    const elements: JsonElement[] = []
    this.from = 0
    for (let at = 0; at < bytes.length; at += 1) {
      const byte = bytes[at]!
      if (byte === LINE_END) this.line += 1
      if (this.inString) this.passText(byte)
      else if (byte > SPACE) this.passToken(bytes, at, elements)
    }
    const rest = bytes.subarray(this.from)
    if (this.inElement) this.element.add(rest)
    else if (this.arrayDepth === 0) this.between.add(rest)
    return elements
  }

  /** The element in which the text ends. Null if it ends between elements. */
  end(): JsonElement | null {
    return this.inElement ? this.takeElement(true) : null
  }

  /** Whether the text has one of the arrays. */
  isFound(): boolean {
    return this.hasArray
  }

  /** Whether the object or array around all has ended. */
  isClosed(): boolean {
    return this.hasClosed
  }

  /** The text so far without the elements. Null if that has more than `LONGEST_ELEMENT` bytes. */
  frame(): string | null {
    return this.between.isTooLong() ? null : this.between.text().replace(/^\ufeff/, '')
  }

  /** A byte within a text. */
  private passText(byte: number): void {
    if (this.isEscaped) this.isEscaped = false
    else if (byte === BACKSLASH) this.isEscaped = true
    else if (byte === QUOTE) this.closeText()
    if (this.name !== null && this.name.length < LONGEST_NAME) this.name.push(byte)
  }

  /** The end of a text. That of a name is remembered until its value begins. */
  private closeText(): void {
    this.inString = false
    if (this.name === null) return
    this.lastName = Buffer.from(this.name).toString()
    this.name = null
    this.expectsName = false
  }

  /** A byte outside of texts that is not white space. */
  private passToken(bytes: Uint8Array, at: number, elements: JsonElement[]): void {
    const byte = bytes[at]!
    const isBetween = this.arrayDepth > 0 && this.depth === this.arrayDepth
    const isEnd = byte === OBJECT_END || byte === ARRAY_END
    if (isBetween && !this.inElement && byte !== COMMA && !isEnd) this.beginElement(at)
    if (byte === QUOTE) {
      this.inString = true
      if (this.depth === 1 && this.rootByte === OBJECT && this.expectsName) this.name = []
    } else if (byte === OBJECT || byte === ARRAY) {
      this.open(bytes, at)
    } else if (isEnd) {
      this.close(bytes, at, isBetween, elements)
    } else if (byte === COMMA) {
      if (isBetween && this.inElement) elements.push(this.endElement(bytes, at))
      if (this.depth === 1) this.expectsName = true
    }
  }

  /** The beginning of an array or object. */
  private open(bytes: Uint8Array, at: number): void {
    const byte = bytes[at]!
    this.depth += 1
    if (this.depth === 1) {
      this.rootByte = byte
      this.expectsName = true
    }
    if (this.arrayDepth > 0 || byte !== ARRAY) return
    const isInRoot = this.depth === 2 && this.rootByte === OBJECT
    const member = this.depth === 1 ? '' : isInRoot ? this.lastName : null
    if (member === null || !this.members.includes(member)) return
    this.arrayDepth = this.depth
    this.member = member
    this.hasArray = true
    this.between.add(bytes.subarray(this.from, at + 1))
    this.from = at + 1
  }

  /** The end of an array or object. */
  private close(bytes: Uint8Array, at: number, isBetween: boolean, elements: JsonElement[]): void {
    if (isBetween) {
      if (this.inElement) elements.push(this.endElement(bytes, at))
      this.arrayDepth = 0
      this.from = at
    }
    this.depth = Math.max(0, this.depth - 1)
    if (this.inElement && this.depth === this.arrayDepth) {
      elements.push(this.endElement(bytes, at + 1))
    }
    if (this.depth === 0) this.hasClosed = true
  }

  private beginElement(at: number): void {
    this.inElement = true
    this.elementLine = this.line
    this.from = at
  }

  private endElement(bytes: Uint8Array, end: number): JsonElement {
    this.element.add(bytes.subarray(this.from, end))
    this.from = end
    return this.takeElement(false)
  }

  private takeElement(isCut: boolean): JsonElement {
    const { member, elementLine: line } = this
    const isTooLong = this.element.isTooLong()
    const text = this.element.take().trim()
    this.inElement = false
    return { member, text, line, isCut, isTooLong }
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
