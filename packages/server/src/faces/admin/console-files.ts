import { globSync, readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { extname, join } from 'node:path'
import { sendWhole } from '../../base/http/send-whole.ts'
import { type Document, documentOf } from '../../read/exchange/document.ts'
import { preferredCoding } from '../../read/exchange/negotiation.ts'
import { matchesTag } from '../../read/exchange/reply.ts'
import type { Tiles } from './admin-api.ts'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.pbf': 'application/x-protobuf',
  '.woff2': 'font/woff2',
}
/**
 * Built files are named by their content. The page that names them, and files that were not built, are
 * revalidated each time.
 */
const FOR_EVER = 'public, max-age=31536000, immutable'
const COMPRESSIBLE = new Set(['.html', '.js', '.mjs', '.css', '.json', '.svg'])

type ConsoleFile = Document & { isCompressible: boolean }

/** Answers with a file of the console, or else with its page, which knows the path. */
export type ConsoleFiles = (message: IncomingMessage, response: ServerResponse) => Promise<void>

/** `folder`: the folder of the built console. Null if it was not built. */
export function openConsoleFiles(folder: string, tiles: Tiles | null): ConsoleFiles | null {
  const files = new Map<string, ConsoleFile>()
  for (const name of globSync('**/*.*', { cwd: folder })) {
    const body = readFileSync(join(folder, name))
    const extension = extname(name)
    files.set(`/${name.replaceAll('\\', '/')}`, {
      ...documentOf({ 'content-type': TYPES[extension] ?? 'application/octet-stream' }, body),
      isCompressible: COMPRESSIBLE.has(extension),
    })
  }
  const page = files.get('/index.html')
  if (page === undefined) return null
  const policy = contentSecurityPolicy(tiles)

  return async (message, response) => {
    const path = (message.url ?? '/').split('?')[0]!
    const file = files.get(path)
    // A missing file of an older build must not get the page, and neither must a misdirected program.
    const isPath = path === '/' || /\bhtml\b/.test(message.headers.accept ?? '')
    if (file === undefined && (path.startsWith('/assets/') || !isPath)) {
      response.writeHead(404, { 'Content-Type': 'text/plain; charset=utf-8' }).end('not found')
      return
    }
    const isPage = file === undefined || file === page
    const keep = path.startsWith('/assets/') ? FOR_EVER : 'no-cache'
    response.setHeader('Cache-Control', keep)
    await send(message, response, file ?? page, isPage ? policy : null).catch(() =>
      response.destroy(),
    )
  }
}

async function send(
  { headers, method }: IncomingMessage,
  response: ServerResponse,
  file: ConsoleFile,
  policy: string | null,
): Promise<void> {
  const accepted = headers['accept-encoding']?.toString()
  const coding = file.isCompressible ? preferredCoding(accepted) : undefined
  // The tag stands for the sent bytes.
  const tag = coding === undefined ? file.tag : `${file.tag}-${coding}`
  response.setHeader('ETag', `"${tag}"`)
  for (const [name, value] of Object.entries(file.headers)) response.setHeader(name, value)
  response.setHeader('Vary', 'Accept-Encoding')
  if (policy !== null) {
    response.setHeader('Content-Security-Policy', policy)
    response.setHeader('X-Frame-Options', 'DENY')
    response.setHeader('Referrer-Policy', 'no-referrer')
    response.setHeader('Cross-Origin-Opener-Policy', 'same-origin')
    response.setHeader('Permissions-Policy', 'camera=(), microphone=(), geolocation=()')
  }
  if (matchesTag(headers['if-none-match'], tag)) return void response.writeHead(304).end()
  const body = await file.body(coding)
  if (coding !== undefined) response.setHeader('Content-Encoding', coding)
  response.setHeader('Content-Length', body.length)
  response.writeHead(200)
  if (method === 'HEAD') response.end()
  else await sendWhole(response, body)
}

/** Only files that ship with the console, and the operator's tiles. */
function contentSecurityPolicy(tiles: Tiles | null): string {
  const elsewhere = tiles !== null && 'url' in tiles ? ` ${new URL(tiles.url).origin}` : ''
  return [
    "default-src 'none'",
    "script-src 'self'",
    "worker-src 'self' blob:",
    "style-src 'self'",
    `img-src 'self' data: blob:${elsewhere}`,
    "font-src 'self'",
    `connect-src 'self'${elsewhere}`,
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')
}
