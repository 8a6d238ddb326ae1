import { cpSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { inFolder } from '../../acceptance/harness/deployment.ts'
import { fleetgate, fleetgateJson } from '../../acceptance/harness/fleetgate.ts'
import { type ServerProcess, serve } from '../../acceptance/harness/server.ts'
import type { Finding } from '../part.ts'
import { DAMAGES, type Damage } from './damage.ts'
import { judgeAnswers, type KnownFolder, makeKnownFolder } from './known-folder.ts'
import type { Scene } from './scene.ts'

const COPIES = { minutes: 4, hours: 100 }
const LOG_MS = 1_000
/** The log or the last sentence must name the damage and the remedy. */
const CLEAR = /(damaged|not a database); restart the server, .* restore it from a backup/

type Tally = {
  copies: number
  wrong: number
  errors: number
  /** The number of copies on which no server started. */
  refused: number
  /** Failed or refused copies without an explanation. */
  unclear: string[]
  /** The number of copies with errors, wrong answers or refusals, and of those that became a backup. */
  spoiled: number
  backedUp: number
}

/** A database in which a disk has changed some bytes. */
export async function corruption({ trial, random, folder }: Scene): Promise<Finding[]> {
  const known = await makeKnownFolder(join(folder, 'known'), folder)
  const backup = join(folder, 'backup')
  await fleetgateJson(['backup', '--data', known.folder, backup])
  const data = join(folder, 'data')
  const findings: Finding[] = []
  for (const damage of DAMAGES) {
    const tally = newTally()
    for (let i = 0; i < trial.amount(COPIES); i += 1) {
      rmSync(data, { recursive: true, force: true })
      cpSync(known.folder, data, { recursive: true })
      damage.spoil(join(data, 'fleetgate.db'), random)
      const isSpoiled = await judgeCopy(data, known, tally)
      if (isSpoiled) await judgeBackup(data, join(folder, 'copy'), tally)
    }
    findings.push(...findingsOf(damage, tally))
    trial.progress(damage.what)
  }
  return [...findings, await restored(data, backup, known)]
}

function newTally(): Tally {
  return {
    copies: 0,
    wrong: 0,
    errors: 0,
    refused: 0,
    unclear: [],
    spoiled: 0,
    backedUp: 0,
  }
}

/** Whether any answer differs. */
async function judgeCopy(data: string, known: KnownFolder, tally: Tally): Promise<boolean> {
  tally.copies += 1
  let server: ServerProcess
  try {
    server = await serve(inFolder(data), ['--geocoder', 'off'])
  } catch (error) {
    tally.refused += 1
    if (!CLEAR.test(`${error}`)) tally.unclear.push(`${error}`)
    return true
  }
  try {
    const answers = await judgeAnswers(server, known.right)
    const wrong = answers.filter(({ verdict }) => verdict === 'wrong')
    const errors = answers.filter(({ verdict }) => verdict === 'error')
    tally.wrong += Number(wrong.length > 0)
    tally.errors += Number(errors.length > 0)
    if (errors.length > 0 && !(await isLogged(server))) tally.unclear.push(errors[0]!.answered)
    return wrong.length + errors.length > 0
  } finally {
    await server.kill()
  }
}

async function isLogged({ log }: ServerProcess): Promise<boolean> {
  const giveUpAt = performance.now() + LOG_MS
  while (!log.some(({ level, msg }) => level === 50 && CLEAR.test(msg))) {
    if (performance.now() > giveUpAt) return false
    await wait(20)
  }
  return true
}

/** A damaged database must not become a backup. */
async function judgeBackup(data: string, copy: string, tally: Tally): Promise<void> {
  tally.spoiled += 1
  const { code } = await fleetgate(['backup', '--data', data, copy])
  tally.backedUp += Number(code === 0)
  rmSync(copy, { recursive: true, force: true })
}

function findingsOf({ what, seenBy }: Damage, tally: Tally): Finding[] {
  const { copies, wrong, errors, refused, unclear, spoiled, backedUp } = tally
  const isSeen = seenBy === 'readers'
  const isBackedUp = seenBy === 'nobody'
  return [
    {
      what: `${what}: copies over which something was served wrong`,
      bar: isSeen ? 'none' : '',
      measured: `${wrong} of ${copies}; errors over ${errors}, ${refused} not served at all`,
      met: !isSeen || wrong === 0,
    },
    {
      what: `${what}: spoiled copies of which \`fleetgate backup\` made a backup`,
      bar: isBackedUp ? '' : 'none',
      measured: `${backedUp} of ${spoiled}`,
      met: isBackedUp || backedUp === 0,
    },
    {
      what: `${what}: errors without a reported cause`,
      bar: 'none',
      measured: unclear.length === 0 ? '0' : `${unclear.length}: ${unclear[0]!.slice(0, 200)}`,
      met: unclear.length === 0,
    },
  ]
}

/** The steps of docs/operating/backups.md, after the last damage. */
async function restored(data: string, backup: string, known: KnownFolder): Promise<Finding> {
  renameSync(data, `${data}.broken`)
  cpSync(backup, data, { recursive: true })
  const server = await serve(inFolder(data), ['--geocoder', 'off'])
  try {
    const answers = await judgeAnswers(server, known.right)
    const right = answers.filter(({ verdict }) => verdict === 'right').length
    return {
      what: 'after the documented restore of a backup: answers that are as before',
      bar: 'all',
      measured: `${right} of ${answers.length}`,
      met: right === answers.length,
    }
  } finally {
    await server.stop()
  }
}
