import { setTimeout as wait } from 'node:timers/promises'
import { historyPath } from '../../bench/requests.ts'
import type { Finding } from '../part.ts'
import {
  beginningOf,
  CODINGS,
  type HistoryReader,
  openHistoryReader,
  type ReadCoding,
} from './history-reader.ts'
import { type Attack, LOOSE_DESCRIPTORS, type Target } from './target.ts'
import {
  descriptorsFall,
  descriptorsOf,
  inMegabytes,
  settledBytes,
  watchMemory,
} from './watched-process.ts'

const MEGABYTE = 2 ** 20
const MAX_GROWN_BYTES = 64 * MEGABYTE
/** The rate limit of one organization. */
const WINDOW_REQUESTS = 10
/** Longer than that window, by the time that a server under attack may take to see a request. */
const WINDOW_MS = 13_000
const BETWEEN_MS = 20
const READ_EVERY_MS = 1000
/** Read at full speed first, so that one-time growth does not count. */
const WARM_UP_LIMIT = 20_000
/** After this time the server gives up on a client that reads nothing. */
const STALLED_MS = 120_000
const STALLED_SLACK_MS = 15_000

/** Readers of a kilobyte a second, in each coding, for some seconds after the last has connected. */
export function slowReaders(readers: number, seconds: number): Attack {
  return {
    name: 'slow readers',
    async run(target) {
      const expected = await warmUp(target)
      await wait(WINDOW_MS)
      const findings: Finding[] = []
      for (const coding of CODINGS) {
        // Earlier requests have used up the window.
        await wait(Math.max(0, WINDOW_MS - seconds * 1000))
        findings.push(...(await readSlowly(target, readers, seconds, coding, expected)))
      }
      return findings
    },
  }
}

/** Readers that send a request and never read. */
export function neverReading(readers: number): Attack {
  return {
    name: 'readers that never read',
    async run(target) {
      const { pid } = target.server
      await wait(WINDOW_MS)
      using memory = watchMemory(pid, await settledBytes(pid))
      const before = descriptorsOf(pid)
      const opened = await openReaders(target, readers, (i) => CODINGS[i % CODINGS.length]!)
      const patience = STALLED_MS + STALLED_SLACK_MS
      const { left, tookMs } = await descriptorsFall(pid, before + LOOSE_DESCRIPTORS, patience)
      closeAll(opened)
      return [
        {
          what: `${readers} readers that never read, in all codings: cut off`,
          bar: 'all, after 120 s',
          measured: `${left} left after ${Math.round(tookMs / 1000)} s`,
          met: left === 0,
        },
        memoryFinding(`${readers} readers that never read`, memory.grown()),
      ]
    },
  }
}

async function readSlowly(
  target: Target,
  readers: number,
  seconds: number,
  coding: ReadCoding,
  expected: string[],
): Promise<Finding[]> {
  const { pid } = target.server
  const before = descriptorsOf(pid)
  using memory = watchMemory(pid, await settledBytes(pid))
  const opened: HistoryReader[] = []
  const reading = setInterval(() => {
    for (const reader of opened) reader.readOn()
  }, READ_EVERY_MS)
  await openReaders(target, readers, () => coding, opened)
  await wait(seconds * 1000)
  clearInterval(reading)
  const grown = memory.grown()
  const right = opened.filter((reader, i) =>
    isRight(reader, coding, expected[i % target.install.long.length]!),
  ).length
  closeAll(opened)
  const { left } = await descriptorsFall(pid, before + LOOSE_DESCRIPTORS, 10_000)
  const what = `${readers} readers at 1 kB/s of ${target.install.rows.toLocaleString('en')} rows, ${coding}`
  return [
    memoryFinding(what, grown),
    {
      what: `${what}: what they have read is right; descriptors left once they are gone`,
      bar: 'all; none',
      measured: `${right} of ${readers}; ${left}`,
      met: right === readers && left === 0,
    },
  ]
}

function memoryFinding(what: string, grown: number): Finding {
  return {
    what: `${what}: memory grows`,
    bar: 'less than 64 MB',
    measured: inMegabytes(grown),
    met: grown < MAX_GROWN_BYTES,
  }
}

function isRight(reader: HistoryReader, coding: ReadCoding, expected: string): boolean {
  const { status, text } = beginningOf(reader.received, coding)
  return status === 200 && text.length > 0 && isPrefix(text, expected)
}

/** Whether the shorter text is the start of the other. */
export function isPrefix(text: string, expected: string): boolean {
  const length = Math.min(text.length, expected.length)
  return text.slice(0, length) === expected.slice(0, length)
}

/** Opens as many at once for one organization as its window admits. `opened`: the list to fill. */
async function openReaders(
  { server, install }: Target,
  readers: number,
  codingOf: (i: number) => ReadCoding,
  opened: HistoryReader[] = [],
): Promise<HistoryReader[]> {
  const wave = install.long.length * WINDOW_REQUESTS
  while (opened.length < readers) {
    const next = wait(WINDOW_MS)
    const until = Math.min(opened.length + wave, readers)
    while (opened.length < until) {
      const tenant = install.long[opened.length % install.long.length]!
      const path = historyPath(tenant, install.rows)
      opened.push(openHistoryReader(server.port, path, tenant.key, codingOf(opened.length)))
      await wait(BETWEEN_MS)
    }
    if (opened.length < readers) await next
  }
  return opened
}

/**
 * Reads a part of each history once at full speed, in each coding. Returns its text for each, without its closing
 * characters.
 */
async function warmUp({ server, install }: Target): Promise<string[]> {
  const texts: string[] = []
  for (const tenant of install.long) {
    const url = `${server.api}${historyPath(tenant, install.rows)}&limit=${WARM_UP_LIMIT}`
    for (const coding of CODINGS) {
      const headers = { 'x-api-key': tenant.key, 'accept-encoding': coding }
      const answer = await fetch(url, { headers })
      if (answer.status !== 200) throw new Error(`${answer.status} to ${url}`)
      const text = await answer.text()
      if (coding === 'identity') texts.push(text.slice(0, -']}'.length))
    }
  }
  return texts
}

function closeAll(readers: HistoryReader[]): void {
  for (const reader of readers) reader.close()
}
