import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Act, type ActCall, STATUS } from '../../acts/act.ts'
import type { OpenDisclosing } from '../../acts/disclosing.ts'
import type { Known } from '../../acts/known.ts'
import type { AccessCredential, Account, HeldRole } from '../../base/domain/account.ts'
import { toJson } from '../../base/domain/common/plain-json.ts'
import type { InTurn, OneAfterAnother } from '../../base/domain/common/slots.ts'
import type { FoldRules } from '../../base/domain/position/fold-state.ts'
import type { KnownAddresses } from '../../base/domain/position/object-state.ts'
import type { Clock } from '../../base/domain/time/time.ts'
import type { AddressOf } from '../../base/http/client-address.ts'
import type { HoldMemory } from '../../base/http/request-body.ts'
import type { Directory } from '../../data/cache/directory.ts'
import type { Realtime } from '../../data/live/realtime.ts'
import type { Store } from '../../engine/store/store.ts'
import type { SignIns } from './access/sign-ins.ts'
import type { Uploads } from './body.ts'
import type { Live } from './live.ts'
import type { SignOn } from './sign-on/sign-on.ts'
import type { StoredCounts } from './stored-counts.ts'

/*
 * The API of the operator: its parts, the form of an operation, a request and its answer.
 */

/** The server's surroundings, as configured. */
export type ServerFacts = {
  version: string
  /** The public addresses of the API and the feed. Null if this deployment has them elsewhere. */
  apiUrl: string | null
  feedUrl: string | null
  /** The console's public address, if it is not the listener's own. */
  consoleUrl: string | null
  /** Null: the map that ships with the console. */
  tiles: Tiles | null
  tilesAttribution: string | null
}

/** The map's tiles: a template of raster tiles with {z}, {x} and {y}, or a PMTiles file of this machine. */
export type Tiles = { url: string } | { file: string }

/** The parts of the operator's API. */
export type AdminApi = {
  store: Store
  /**
   * A store whose changes go into the audit log under this actor. Entries about sign-ins name the
   * address. `isOperator`: whether new objects may own idents that rules give to other organizations.
   */
  storeAs(actor: string, address: string, isOperator?: boolean): Store
  directory: Directory
  realtime: Realtime
  rules: FoldRules
  /** Finds addresses of positions that brought none. Null if only packets bring addresses. */
  knownAddresses: KnownAddresses | null
  known: Known
  disclosing: OpenDisclosing
  storedCounts: StoredCounts
  live: Live
  signIns: SignIns
  /** Null: single sign-on is not configured. */
  signOn: SignOn | null
  addressOf: AddressOf
  /** Runs work on an organization alone, for changes that depend on the current state. */
  inTurn: OneAfterAnother
  /** Bounds the bodies that are held at once, and the long ones that are worked on at once. */
  holdMemory: HoldMemory
  /** The same of files. */
  holdFiles: HoldMemory
  inReadingTurn: InTurn
  /** Bounds the files that are sent at once. */
  uploads: Uploads
  about: ServerFacts
  clock: Clock
  /** Logs a request without a valid session or token, and why. */
  denied(message: IncomingMessage, operation: string, requestId: string): Promise<void>
  /** `requestId`: of the request that failed, if it was one. */
  failed(error: unknown, requestId?: string): void
}

/** The caller: a person with a session, or a token. */
export type Caller = {
  credential: AccessCredential
  /** Null with a token. */
  account: Account | null
  /** Those of the account, or the one of the token. */
  roles: readonly HeldRole[]
  /** Whether the deployment requires codes, which the person has not set up yet. */
  isHalfway: boolean
  /** As the audit log names the caller. */
  actor: string
}

/** A cookie of the console, without its value (`access/cookies.ts`). */
export type CookieKind = {
  name: string
  path: string
  /** Whether a link of another site brings it too. */
  isLax?: boolean
}

/** A request to the operator's API with a known path. */
export type Call = ActCall & {
  api: AdminApi
  /** An open operation has no caller. */
  caller: Caller | null
  /** The raw body, for operations that take files. */
  file: Buffer
  /** Aborted when the client has gone or its session or token has ended. */
  signal: AbortSignal
  /** Shows the client how far its file is read. */
  onProgress(progress: Progress): void
  contentType: string
  address: string
  /** The secret of a browser that has signed in before. */
  device: string | null
  /** The `Host` that the client asked. */
  host: string
  /** The values of the cookies of a kind. */
  cookies(kind: CookieKind): string[]
  userAgent: string
}

/** A JSON value with headers. */
export class Reply {
  readonly body: unknown
  readonly headers: Readonly<Record<string, string | readonly string[]>>

  constructor(body: unknown, headers: Reply['headers']) {
    this.body = body
    this.headers = headers
  }
}

const NDJSON = 'application/x-ndjson'

/** The state of an import: rows and bytes that were read, of `size` bytes. */
export type Progress = { rows: number; bytes: number; size: number }

/** The lines of an answer that shows its progress. The last line is the summary or an error. */
export type ProgressLine = { progress: Progress } | { summary: unknown } | { error: object }

/** Whether the client asks for lines of progress before the summary. */
export function wantsProgress({ headers }: IncomingMessage): boolean {
  return headers.accept?.includes(NDJSON) === true
}

export function sendProgress(response: ServerResponse, line: ProgressLine): void {
  if (response.destroyed) return
  if (!response.headersSent) {
    response.writeHead(200, { 'Content-Type': NDJSON, 'X-Accel-Buffering': 'no' })
  }
  response.write(`${toJson(line)}\n`)
}

/** An operation of the operator's API: an act, or what the console alone does. */
export type AdminOperation = Omit<Act, 'takes' | 'status' | 'run'> & {
  /** Whether a person who still has to set up codes may do it. */
  needsNoCodes?: true
  /** Whether it tries a password, which is slowed down for each address. */
  isLimited?: boolean
  /**
   * Whether its body is a form with a signed token, which other servers post: it proves who sent it, so it needs no
   * `Origin` of the console.
   */
  takesSignedForm?: true
  /** Its JSON body, which `run` checks. `file`: any file. */
  takes?: Act['takes'] | 'file'
  status: Act['status'] | 303
  /** The answer's value, or a `Reply` if it has headers. Throws `Refused`. */
  run(call: Call): Promise<unknown>
}

type Derived = 'status' | 'answers'
/** An operation without what follows from its tag and method. */
export type GivenOperation = Omit<AdminOperation, 'tag' | Derived> &
  Partial<Pick<AdminOperation, Derived>>

/** Operations of a tag. The status follows from the method, if it is not given. */
export function operations(tag: string, given: readonly GivenOperation[]): AdminOperation[] {
  return given.map((each) => ({ tag, status: STATUS[each.method], answers: null, ...each }))
}

/** The paths of the operator's API begin with it. */
export const ADMIN_PREFIX = '/admin/v1'
