import { SaxesParser, type SaxesTagPlain } from 'saxes'
import type { Source } from '../import-source.ts'
import { type Row, SourceCut, SourceUnreadable } from '../row.ts'

/** An element that begins. */
export type XmlElement = {
  /** Without its namespace prefix. */
  name: string
  attributes: Readonly<Record<string, string>>
  /** From 1. */
  line: number
}

/** A format whose files have one root element. */
export type XmlFormat = {
  /** As users know it, such as `GPX`. */
  name: string
  root: string
  /** Whether `close` gets the text of such an element. Other texts are dropped: they may have any length. */
  keepsText(name: string): boolean
  open(element: XmlElement): void
  /** `text` is trimmed, without the text of elements within. `parent`: the enclosing element, or undefined. */
  close(name: string, text: string, parent: string | undefined): void
}

/** Characters. A longer tag, or text between two tags, could fill the memory. */
const LONGEST_PIECE = 1 << 20

/** Each open element takes memory. */
const MAX_DEPTH = 1_000

/**
 * Reads XML in its declared encoding, and yields after each portion. Throws `SourceUnreadable` with the line where it
 * is not well-formed, and `SourceCut` where it ends early. `open` and `close` have had all before that line.
 */
export async function* readXml(source: Source, format: XmlFormat): AsyncGenerator<void> {
  const { root, keepsText } = format
  const path: string[] = []
  let isBegun = false
  let text: string | null = null

  const parser = new SaxesParser()
  parser.on('opentag', ({ name: tagName, attributes }: SaxesTagPlain) => {
    const name = localName(tagName)
    if (path.length === 0 && name !== root) {
      throw new SourceUnreadable(`'${source.name}' is not ${format.name}: its root is <${tagName}>`)
    }
    isBegun = true
    if (path.length >= MAX_DEPTH) {
      throw new Error(`${parser.line}:${parser.column}: tags are nested deeper than ${MAX_DEPTH}.`)
    }
    path.push(name)
    text = keepsText(name) ? '' : null
    format.open({ name, attributes, line: parser.line })
  })
  const addText = (part: string) => {
    if (text !== null) text += part
  }
  parser.on('text', addText)
  parser.on('cdata', addText)
  parser.on('closetag', () => {
    const name = path.pop()!
    format.close(name, text?.trim() ?? '', path.at(-1))
    text = null
  })

  const guard = openGuard(parser)
  for await (const part of textOf(source, format.name)) {
    try {
      guard.write(part)
    } catch (error) {
      throw notWellFormed(source.name, error as Error)
    }
    yield
  }
  try {
    guard.end()
  } catch (error) {
    throw notWellFormed(source.name, error as Error)
  }
  const within = path.at(-1)
  if (within !== undefined) {
    throw new SourceCut(
      `'${source.name}' ends early, in line ${parser.line} within <${within}>: the file is cut off`,
    )
  }
  if (!isBegun) {
    throw new SourceUnreadable(
      `'${source.name}' is empty, or cut off before <${root}>, with which ${format.name} begins`,
    )
  }
  try {
    parser.close()
  } catch (error) {
    throw notWellFormed(source.name, error as Error)
  }
}

/** Bounds of the parts whose content is not markup, and each `&` with the reference that it begins. */
const MARKS =
  /<!--|-->|<!\[CDATA\[|\]\]>|<\?|\?>|&(?:#\d+|#x[\da-fA-F]+|[\p{L}_:][\p{L}\p{N}_:.-]*);|&/gu

/** Whether a text may have a mark that matters outside of such a part. Most have none. */
const MARKED = /&|<[!?]/

const ENDS: Readonly<Record<string, string>> = { '<!--': '-->', '<![CDATA[': ']]>', '<?': '?>' }

/**
 * Stops at an `&` that begins no reference. The parser itself would take all that follows for the name of an entity, up
 * to a `;` anywhere in the file.
 */
function openGuard(parser: SaxesParser) {
  let waiting = ''
  /** The end of the comment, CDATA or instruction that is open. */
  let end: string | null = null

  function pass(piece: string): void {
    if (end === null && !MARKED.test(piece)) {
      parser.write(piece)
      return
    }
    for (const { 0: mark, index } of piece.matchAll(MARKS)) {
      if (end !== null) {
        if (mark === end) end = null
      } else if (mark === '&') {
        parser.write(piece.slice(0, index))
        throw new Error(`${parser.line}:${parser.column + 1}: an '&' is written as &amp; in XML.`)
      } else end = ENDS[mark] ?? null
    }
    parser.write(piece)
  }

  return {
    /** Passes whole marks on: each ends before the next `>`, or with it. */
    write(part: string): void {
      waiting += part
      const cut = waiting.lastIndexOf('>') + 1
      if (cut === 0 && waiting.length > LONGEST_PIECE) {
        throw new Error(
          `${parser.line}:${parser.column}: no tag ends in ${LONGEST_PIECE} characters.`,
        )
      }
      if (cut === 0) return
      const piece = waiting.slice(0, cut)
      waiting = waiting.slice(cut)
      pass(piece)
    },
    /** Passes the rest on. */
    end(): void {
      pass(waiting)
    },
  }
}

/** The parser's message begins with line and column. */
function notWellFormed(name: string, error: Error): SourceUnreadable {
  if (error instanceof SourceUnreadable) return error
  const place = /^(\d+):(\d+): (.*)$/s.exec(error.message)
  if (place === null) throw error
  const [, line, column, message] = place
  return new SourceUnreadable(
    `'${name}' is not well-formed XML in line ${line}, column ${column}: ${message} The rest was not read.`,
  )
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

/**
 * Reads XML as `readXml` does, and yields the rows that `take` has after each portion. If the reading stops, `cut` may
 * add a row for what it stopped within.
 */
export async function* xmlRows(
  source: Source,
  format: XmlFormat,
  take: () => Row[],
  cut: (error: unknown) => void,
): AsyncGenerator<Row[]> {
  try {
    for await (const _ of readXml(source, format)) yield take()
    yield take()
  } catch (error) {
    cut(error)
    yield take()
    throw error
  }
}

/** Bytes. A declaration is at the very beginning, and ends before. */
const DECLARATION_BYTES = 256

const MARK = Buffer.from('\ufeff')

/** The text of an XML file, in the encoding that it declares. Throws `SourceUnreadable` if it is unknown. */
async function* textOf(source: Source, format: string): AsyncGenerator<string> {
  let head: Uint8Array = new Uint8Array(0)
  let decoder: InstanceType<typeof TextDecoder> | null = null
  for await (const chunk of source.bytes) {
    if (decoder !== null) {
      yield decoder.decode(chunk, { stream: true })
      continue
    }
    head = Buffer.concat([head, chunk])
    if (head.length < DECLARATION_BYTES) continue
    decoder = decoderOf(head, source.name, format)
    yield decoder.decode(head, { stream: true })
  }
  if (decoder !== null) yield decoder.decode()
  else yield decoderOf(head, source.name, format).decode(head)
}

function decoderOf(head: Uint8Array, name: string, format: string) {
  const declared = declaredIn(Buffer.from(head))
  try {
    const decoder = new TextDecoder(declared)
    // A source unpacks UTF-16 to UTF-8 and leaves its declaration as it is.
    return decoder.encoding.startsWith('utf-16') ? new TextDecoder() : decoder
  } catch {
    throw new SourceUnreadable(
      `'${name}' declares the encoding '${declared}', which is not supported; save it as ${format} in UTF-8`,
    )
  }
}

/** UTF-8, unless the file begins with another declaration, and with no byte order mark. */
function declaredIn(head: Buffer): string {
  if (head.subarray(0, MARK.length).equals(MARK)) return 'utf-8'
  const text = head.subarray(0, DECLARATION_BYTES).toString('latin1')
  const [, encoding] = /^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([^"'>]+)["']/.exec(text) ?? []
  return encoding ?? 'utf-8'
}
