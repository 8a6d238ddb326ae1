import { SPAN_US } from '../../access/sliding-log.ts'
import type { Clock } from '../../domain/time/clock.ts'

/**
 * The admissions of this process in the last span, by the key of their log in Redis. A server lacks those that
 * this process's own window admitted while no server answered, and all of them if it has restarted. They are carried
 * into its log with the next request, so that this process never admits more than the window over both.
 */
export type OwnAdmissions = {
  /** Notes an admission of now. `stampUs`: its time in the log of the server of this run. */
  note(key: string, stampUs: number, run: string): void
  /** Notes an admission of now that no server has in its log. */
  noteWithoutRedis(key: string): void
  /**
   * The admissions that the server of a run may lack. They count as carried from now on, because scripts run in the order
   * in which they are sent.
   */
  carry(key: string, run: string): Carried
}

export type Carried = {
  /** For the script: the stamp (0: none) and the age of each in microseconds, separated by spaces. */
  readonly listed: string
  /** For a script of which it is not known whether it ran. Carried twice, an admission without a stamp counts twice. */
  undo(): void
}

type Admission = { readonly atUs: number; readonly stampUs: number; run: string }

const NO_RUN = ''
const NOTHING: Carried = { listed: '', undo() {} }

export function ownAdmissions(clock: Pick<Clock, 'monotonic'>): OwnAdmissions {
  /** A log without an admission for one to two spans is dropped. */
  let young = new Map<string, Admission[]>()
  let old = new Map<string, Admission[]>()
  let youngSinceUs = clock.monotonic()

  const find = (key: string) => young.get(key) ?? old.get(key)

  function add(key: string, stampUs: number, run: string): void {
    const atUs = clock.monotonic()
    if (atUs - youngSinceUs >= SPAN_US) {
      old = young
      young = new Map()
      youngSinceUs = atUs
    }
    const log = find(key) ?? []
    while (log.length > 0 && hasExpired(log[0]!, atUs)) log.shift()
    log.push({ atUs, stampUs, run })
    young.set(key, log)
  }

  return {
    note: add,
    noteWithoutRedis: (key) => add(key, 0, NO_RUN),
    carry(key, run) {
      const nowUs = clock.monotonic()
      const lacking = find(key)?.filter((each) => each.run !== run && !hasExpired(each, nowUs))
      if (lacking === undefined || lacking.length === 0) return NOTHING
      for (const each of lacking) each.run = run
      return {
        listed: lacking.map(({ atUs, stampUs }) => `${stampUs} ${nowUs - atUs}`).join(' '),
        undo() {
          for (const each of lacking) if (each.run === run) each.run = NO_RUN
        },
      }
    },
  }
}

function hasExpired({ atUs }: Admission, nowUs: number): boolean {
  return atUs <= nowUs - SPAN_US
}
