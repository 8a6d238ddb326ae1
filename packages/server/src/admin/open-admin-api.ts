import type { Directory } from '../cache/directory.ts'
import type { ChangeWatch } from '../changes/change-watch.ts'
import { oneAfterAnother, openTurns } from '../domain/common/slots.ts'
import type { Clock } from '../domain/time/time.ts'
import type { AddressOf } from '../http/client-address.ts'
import { openHeldMemory } from '../http/request-body.ts'
import type { Realtime } from '../live/realtime.ts'
import { auditedStore } from '../operator/audit/audited-store.ts'
import type { Store } from '../store/store.ts'
import { foldRules } from '../tracking/rules/fold-rules.ts'
import type { DisclosureCounts } from '../usage/disclosure-counts.ts'
import type { UsageCounts } from '../usage/usage-counts.ts'
import { openDenied } from './access/authenticate.ts'
import { openSignIns } from './access/sign-ins.ts'
import type { AdminApi, ServerFacts } from './admin-api.ts'
import { boundedUploads } from './body.ts'
import { openLive } from './live.ts'
import type { SignOnSettings } from './sign-on/settings.ts'
import { openSignOn } from './sign-on/sign-on.ts'

export type AdminParts = {
  store: Store
  realtime: Realtime
  directory: Directory
  changeWatch: ChangeWatch
  usage: UsageCounts
  disclosures: Pick<DisclosureCounts, 'write'>
  knownAddresses: AdminApi['knownAddresses']
  about: ServerFacts
  /** Null: there is no single sign-on. */
  signOn: SignOnSettings | null
  clock: Clock
  addressOf: AddressOf
  /** Writes a line of the log. `members` are members of a JSON object, as text. */
  line(members: string): void
  failed: AdminApi['failed']
}

/** An import's rows of one transaction: some 25 ms, in which the process of a data folder answers nobody. */
const SERVING_ROWS = 500

/** The console's parts in a process with the role `admin`. */
export function openAdminApi(parts: AdminParts): AdminApi {
  const { store, clock, directory, changeWatch, signOn, failed } = parts
  return {
    ...parts,
    storeAs: (actor, address) => auditedStore(store, actor, clock, address, SERVING_ROWS),
    rules: foldRules(clock),
    live: openLive({ changeLog: store.changeLog, changeWatch, directory, clock, failed }),
    signIns: openSignIns(parts),
    signOn: signOn && openSignOn(signOn, store, clock),
    denied: openDenied(parts),
    inTurn: oneAfterAnother(),
    holdMemory: openHeldMemory(),
    // Long bodies take half of the time at most: their parsing makes the garbage collector stop all others.
    inReadingTurn: openTurns(1, 1, 1),
    uploads: boundedUploads(),
  }
}
