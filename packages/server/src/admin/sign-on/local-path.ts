const MAX_LENGTH = 2_000

/**
 * A path of the console that somebody asks to be led to, or `/` if it could lead elsewhere. The path of an operation is
 * no page.
 */
export function localPath(written: string | null): string {
  const path = written ?? '/'
  // A browser reads a backslash as a slash, and two slashes as the beginning of a host.
  if (path.length > MAX_LENGTH || !/^\/(?![/\\])[!-[\]-~]*$/.test(path)) return '/'
  const { pathname } = new URL(path, 'http://console')
  return /^\/(?:\/|admin(?:\/|$))/i.test(pathname) ? '/' : path
}
