import assert from 'node:assert/strict'
import { ADMIN, ask } from './admin.ts'
import { type Answer, type RequestOptions, request } from './client.ts'

/** A browser without pages: it keeps cookies of each origin and path, and follows a redirect when it is asked to. */
export type Visitor = {
  /** Cookies by origin, path and name. */
  readonly cookies: Map<string, string>
  get(url: string): Promise<Answer>
  /** Sends the form of a page at another server than the console. */
  submit(url: string, fields: Record<string, string>): Promise<Answer>
  /** Follows redirects from an URL until the next one begins with `until`, which it returns. */
  follow(url: string, until: string): Promise<string>
}

export function newVisitor(): Visitor {
  const cookies = new Map<string, string>()

  function keep({ origin, pathname }: URL, { headers }: Answer): void {
    for (const set of headers['set-cookie'] ?? []) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(set)!
      const path = /; *path=([^;]+)/i.exec(set)?.[1] ?? pathname
      const isOver = /; *max-age=0/i.test(set) || /; *expires=Thu, 01 Jan 1970/i.test(set)
      const key = `${origin} ${path} ${name}`
      if (isOver) cookies.delete(key)
      else cookies.set(key, value!)
    }
  }

  function cookieFor({ origin, pathname }: URL): string {
    const sent = Array.from(cookies, ([key, value]) => [...key.split(' '), value] as const)
    return sent
      .filter(([of, path]) => of === origin && pathname.startsWith(path!))
      .map(([, , name, value]) => `${name}=${value}`)
      .join('; ')
  }

  /** A server of another name than an address is on this machine too. */
  async function elsewhere(to: URL, form: RequestOptions = {}): Promise<Answer> {
    const headers = { ...form.headers, host: to.host, cookie: cookieFor(to) }
    const place = to.origin.replace('localhost', '127.0.0.1')
    return request(place, to.pathname + to.search, { ...form, headers })
  }

  const visitor: Visitor = {
    cookies,
    async get(url) {
      const to = new URL(url)
      const path = to.pathname + to.search
      const answer = path.startsWith(`${ADMIN}/`)
        ? await ask(to.origin, 'GET', path.slice(ADMIN.length), {
            headers: { cookie: cookieFor(to) },
          })
        : await elsewhere(to)
      keep(to, answer)
      return answer
    },
    async submit(url, fields) {
      const to = new URL(url)
      const body = String(new URLSearchParams(fields))
      const headers = {
        'content-type': 'application/x-www-form-urlencoded',
        'content-length': `${body.length}`,
      }
      const answer = await elsewhere(to, { method: 'POST', body, headers })
      keep(to, answer)
      return answer
    },
    async follow(url, until) {
      for (let next = url, steps = 0; steps < 10; steps++) {
        if (steps > 0 && next.startsWith(until)) return next
        const { status, headers, text } = await visitor.get(next)
        assert.ok(status === 302 || status === 303, `${next}: ${status} ${text.slice(0, 400)}`)
        next = new URL(headers.location!, next).href
      }
      throw new Error(`${url} does not lead to ${until}`)
    },
  }
  return visitor
}

/** The start of a sign-on of the console at this origin, and where it returns to. */
export function signOnAt(origin: string) {
  const at = `${origin}${ADMIN}/sign-on`
  return { start: `${at}/start`, callback: `${at}/callback`, end: `${at}/end` }
}

/** Signs in at the provider. Returns the callback to the console, which the visitor has not followed. */
export function toCallback(visitor: Visitor, origin: string, to = '/'): Promise<string> {
  const { start, callback } = signOnAt(origin)
  return visitor.follow(`${start}?to=${encodeURIComponent(to)}`, callback)
}

/** Signs in. Returns the path of the console to which that leads. */
export async function signOn(visitor: Visitor, origin: string, to = '/'): Promise<string> {
  return landing(await visitor.get(await toCallback(visitor, origin, to)))
}

/** Where an answer leads, below the console's origin. */
export function landing({ status, headers, text }: Answer): string {
  assert.equal(status, 303, text)
  return headers.location!
}

/** `fleetgate_session=…`, as the visitor sends it back. */
export function sessionCookie({ cookies }: Visitor): string {
  const [, value] = [...cookies].find(([key]) => key.endsWith(' fleetgate_session'))!
  return `fleetgate_session=${value}`
}
