import { hashSecret } from '../../../base/access/secret.ts'
import type { Credential } from '../../../base/domain/credential.ts'
import { clientGone } from '../../../base/http/send-whole.ts'
import type { Fleet } from '../../../data/cache/fleet-cache.ts'
import type { SourceCounts } from '../../../data/usage/disclosure-counts.ts'
import type { Api } from '../../../read/api.ts'
import type { Document } from '../../../read/exchange/document.ts'
import { bestLanguage, preferredCoding } from '../../../read/exchange/negotiation.ts'
import { failureRefusal, type Reply, refusalReply } from '../../../read/exchange/reply.ts'
import type { ApiRequest } from '../../../read/exchange/request.ts'
import { methodNotAllowed, type Refusal, tooManyRequests } from '../../../read/refusal.ts'
import { rateHeaders, wholeSeconds } from '../../../read/request-limits.ts'
import { openLinkAnswers } from './link-answer.ts'
import { type LinkPages, PAGE_LANGUAGES } from './link-pages.ts'

/** The public face of links: `/s/{token}`, `/s/{token}.json`, and the files of the page. */
export type LinkFace = {
  /** Undefined if the target is not below `/s/`. Never rejects. */
  reply(request: ApiRequest): Promise<LinkReply> | undefined
}

/** `operation`: its name in the log and in metrics. `organization`: the link's, unless the link is dead. */
export type LinkReply = {
  readonly operation: 'link_page' | 'link_data' | 'link_file'
  readonly reply: Reply
  readonly organization: number | undefined
}

const PREFIX = '/s/'
const FILES = '/s/assets/'
const JSON_ENDING = '.json'
/** The limit of requests to one link in a window, from all clients together. */
const WINDOW_REQUESTS = 60
/** A link's window is counted under this number plus its id. No organization or test key has such an id. */
const WINDOWS = 2 ** 51

/** No search engine lists what a link shows, no cache keeps it, and no other site learns its URL. */
const HIDDEN = ['Referrer-Policy', 'no-referrer', 'X-Robots-Tag', 'noindex, nofollow'] as const
const PRIVATE = [...HIDDEN, 'Cache-Control', 'no-store', 'X-Content-Type-Options', 'nosniff']

const JSON_HEADERS = ['Content-Type', 'application/json; charset=utf-8', 'Vary', 'Accept-Encoding']
const ENDED = JSON.stringify({
  statusCode: 404,
  errorCode: 'ERR999',
  message: 'This link has ended or does not exist.',
})

/** A valid link of an organization whose subscription is active. */
type Opened = { readonly link: Credential; readonly fleet: Fleet }

export function openLinks(api: Api, pages: () => LinkPages, disclosures: SourceCounts): LinkFace {
  const read = openLinkAnswers(api)

  async function open(token: string): Promise<Opened | null> {
    const outdated = api.catchUp()
    if (outdated !== undefined) await outdated
    const link = api.directory.links.find(hashSecret(token), api.clock.now())
    const fleet = link && (await api.directory.fleetOf(link.organization))
    if (link === undefined || fleet?.organization.subscription !== 'active') return null
    return { link, fleet }
  }

  /** A `HEAD` reads nothing: it only says whether the link has ended. */
  async function answer(
    { link, fleet }: Opened,
    { method, connection }: ApiRequest,
    search: string,
  ): Promise<Reply | Refusal> {
    if (method === 'HEAD') return jsonReply(200, '', [])
    const needs = { charge: null, shown: [], windowRequests: WINDOW_REQUESTS }
    const { rate } = await api.realtime.ask(WINDOWS + link.id, needs)
    const headers = rateHeaders(rate, WINDOW_REQUESTS)
    if (!rate.admitted) {
      const refusal = tooManyRequests(wholeSeconds(rate.resetUs))
      return refusalReply(refusal, [...HIDDEN, ...headers], 'en', api.clock.now())
    }
    const gone = clientGone(connection)
    const { body, disclosed } = await read(link, fleet, search !== 'way=false', gone)
    api.directory.links.noteUse(link, api.clock.now())
    disclosures.answer(link, 'positions', disclosed)
    return jsonReply(200, body, headers)
  }

  async function made(request: ApiRequest): Promise<LinkReply> {
    const { path, search } = partsOf(request.target)
    const isData = path.endsWith(JSON_ENDING)
    const operation = isData ? 'link_data' : 'link_page'
    const language = bestLanguage(request.acceptLanguage, 'en', PAGE_LANGUAGES)
    const done = (reply: Reply | Refusal, organization?: number): LinkReply => ({
      ...{ operation, organization },
      reply: 'body' in reply ? reply : refused(reply),
    })
    const refused = (refusal: Refusal) =>
      refusalReply(refusal, [...HIDDEN], language, api.clock.now())
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return done(methodNotAllowed('GET, HEAD'))
    }
    try {
      const token = path.slice(PREFIX.length, isData ? -JSON_ENDING.length : undefined)
      const opened = await open(token)
      const organization = opened?.link.organization
      const page = pages()[opened === null ? 'ended' : 'live'][language]
      if (!isData) return done(await pageReply(page, opened !== null, request), organization)
      if (opened === null) return done(jsonReply(404, ENDED, []))
      return done(await answer(opened, request, search), organization)
    } catch (error) {
      return done(failureRefusal(api, request, error))
    }
  }

  return {
    reply(request) {
      const { target } = request
      if (!target.startsWith(PREFIX)) return undefined
      const isRead = request.method === 'GET' || request.method === 'HEAD'
      if (!isRead || !target.startsWith(FILES)) return made(request)
      const file = pages().files.get(partsOf(target).path.slice(FILES.length))
      return file === undefined ? made(request) : fileReply(file, request)
    },
  }
}

function partsOf(target: string): { path: string; search: string } {
  const question = target.indexOf('?')
  if (question === -1) return { path: target, search: '' }
  return { path: target.slice(0, question), search: target.slice(question + 1) }
}

function jsonReply(status: number, body: string, headers: readonly string[]): Reply {
  return { status, headers: [...PRIVATE, ...JSON_HEADERS, ...headers], body, close: false }
}

async function pageReply(page: Document, isLive: boolean, request: ApiRequest): Promise<Reply> {
  const { body, headers } = await coded(page, request)
  const all = [...PRIVATE, ...headers, 'Vary', 'Accept-Encoding, Accept-Language']
  return { status: isLive ? 200 : 404, headers: all, body, isCoded: true, close: false }
}

async function fileReply(file: Document, request: ApiRequest): Promise<LinkReply> {
  const { body, headers } = await coded(file, request)
  headers.push('Vary', 'Accept-Encoding')
  const reply = { status: 200, headers, body, isCoded: true, close: false }
  return { operation: 'link_file', reply, organization: undefined }
}

async function coded(document: Document, { acceptEncoding }: ApiRequest) {
  const coding = preferredCoding(acceptEncoding)
  const headers = Object.entries(document.headers).flat()
  if (coding !== undefined) headers.push('Content-Encoding', coding)
  return { body: await document.body(coding), headers }
}
