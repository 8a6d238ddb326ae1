import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, brotliDecompress, constants, gzip, zstdCompress } from 'node:zlib'
import type { Coding } from './negotiation.ts'

/** A public file that does not change while the process lives. */
export type Document = {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The opaque part of its entity tag. */
  readonly tag: string
  /** The body in a content coding, or plain. Encoded once, on first use. */
  body(coding: Coding | undefined): Promise<Buffer>
}

/** Documents by their paths. */
export type Documents = ReadonlyMap<string, Document>

/** A document with its body in memory. */
export function documentOf(headers: Document['headers'], body: Buffer): Document {
  const tag = createHash('sha256').update(body).digest('base64url').slice(0, 16)
  return codedOnce(headers, tag, { identity: () => Promise.resolve(body) })
}

/** A document on the disk in Brotli's coding. */
export function brotliDocumentOf(
  headers: Document['headers'],
  tag: string,
  read: () => Promise<Buffer>,
): Document {
  return codedOnce(headers, tag, {
    br: read,
    identity: async () => promisify(brotliDecompress)(await read()),
  })
}

type Form = Coding | 'identity'

const encoders: Record<Coding, (body: Buffer) => Promise<Buffer>> = {
  gzip: (body) => promisify(gzip)(body, { level: constants.Z_BEST_COMPRESSION }),
  br: promisify<Buffer, Buffer>(brotliCompress),
  zstd: promisify<Buffer, Buffer>(zstdCompress),
}

function codedOnce(
  headers: Document['headers'],
  tag: string,
  given: { identity: () => Promise<Buffer> } & Partial<Record<Form, () => Promise<Buffer>>>,
): Document {
  const known = new Map<Form, Promise<Buffer>>()
  const make = async (form: Form) => {
    const read = given[form]
    if (read !== undefined || form === 'identity') return (read ?? given.identity)()
    return encoders[form](await given.identity())
  }
  return {
    headers,
    tag,
    body(coding = undefined) {
      const form = coding ?? 'identity'
      let body = known.get(form)
      if (body === undefined) {
        body = make(form)
        known.set(form, body)
        // A file that could not be read may be readable next time.
        body.catch(() => known.delete(form))
      }
      return body
    },
  }
}
