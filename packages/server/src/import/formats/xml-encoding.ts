import { SourceUnreadable } from '../row.ts'
import type { Source } from '../source.ts'

/** Bytes. A declaration is at the very beginning, and ends before. */
const DECLARATION_BYTES = 256

const MARK = Buffer.from('\ufeff')

/** The text of an XML file, in the encoding that it declares. Throws `SourceUnreadable` if it is unknown. */
export async function* textOf(source: Source, format: string): AsyncGenerator<string> {
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
      `'${name}' declares the encoding '${declared}', which is not known here; save it as ${format} in UTF-8`,
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
