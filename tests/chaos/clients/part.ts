import { join } from 'node:path'
import { inFolder } from '../../acceptance/harness/deployment.ts'
import { serve } from '../../acceptance/harness/server.ts'
import type { Finding, Part, Trial } from '../part.ts'
import { abandonedFollowers } from './abandoned-followers.ts'
import { type HealthyFigures, openHealthyLoad } from './healthy-load.ts'
import { hangingUp } from './hung-up.ts'
import { makeInstall } from './install.ts'
import type { Attack } from './target.ts'
import { settledBytes } from './watched-process.ts'

export const part: Part = {
  name: 'clients',
  title: 'Clients that are slow, many, or gone',
  summary:
    'Slow, hostile and vanishing clients attack a server while 200 other organizations use it.',
  about: `
One \`fleetgate serve\` over a data folder, as shipped, is under one attack after the other, while 200 other organizations ask it a
hundred times a second for details, latest positions, histories and lists. These healthy requests are sent when they are due,
answered or not, and each answer is read: it must be a 200 about the right object. The attackers are clients of one address.

Memory is the resident memory of the whole process, at its highest during the attack, minus the level that it had reached before,
with the same healthy requests.

Attackers, server and the healthy requests share the machine's processors, so the bar on the healthy requests is also one on the
machine: on two processors that other work slows down, the same code misses it that meets it on a quiet machine.

Followers of \`/changes\` open as many streams of whole histories as they may and never read. Others stop waiting, or leave within 5 ms
of opening a stream. Afterwards each organization must have all its streams.

A descriptor counts as leaked where the process has more than before, and more than the healthy requests' connections explain.`,
  run,
}

async function run(trial: Trial): Promise<Finding[]> {
  const { amount, progress } = trial
  const folder = join(trial.folder, 'data')
  const rows = amount({ minutes: 200_000, hours: 2_600_000 })
  const organizations = rows > 1_000_000 ? 4 : 10
  progress(`${organizations} histories of ${rows.toLocaleString('en')} rows`)
  const install = await makeInstall(folder, organizations, rows)
  const server = await serve(inFolder(folder), ['--geocoder', 'off'])
  try {
    const target = {
      server,
      install,
      feedPort: Number(new URL(server.feed).port),
      adminPort: Number(new URL(server.admin).port),
    }
    await using healthy = openHealthyLoad(server.port, install.others)
    progress('quiet')
    await settledBytes(server.pid)
    await healthy.figures()
    await settledBytes(server.pid)
    const quiet = await healthy.figures()
    const findings = [quietFinding(quiet)]
    for (const attack of attacksOf(trial)) {
      progress(attack.name)
      await healthy.figures()
      findings.push(...(await attack.run(target)))
      findings.push(healthyFinding(attack.name, quiet, await healthy.figures()))
    }
    findings.push(failuresFinding(server.log))
    return findings
  } finally {
    await server.stop()
  }
}

function attacksOf({ amount, seed }: Trial): Attack[] {
  return [hangingUp(amount({ minutes: 1_000, hours: 20_000 }), seed), abandonedFollowers(seed)]
}

function quietFinding(quiet: HealthyFigures): Finding {
  return {
    what: 'healthy requests before',
    bar: 'all right',
    measured: formatFigures(quiet),
    met: quiet.asked > 0 && quiet.faults.length === 0,
  }
}

const MIN_P99_MS = 50

function healthyFinding(attack: string, quiet: HealthyFigures, during: HealthyFigures): Finding {
  const most = Math.max(MIN_P99_MS, 3 * quiet.p99)
  return {
    what: `healthy requests during: ${attack}`,
    bar: `all right; p99 at most 3 times that before or ${MIN_P99_MS} ms`,
    measured: formatFigures(during),
    met: during.asked > 0 && during.faults.length === 0 && during.p99 <= most,
  }
}

function formatFigures({ asked, faults, p50, p99, slowest }: HealthyFigures): string {
  const [first] = faults
  const verdict = first === undefined ? 'all right' : `wrong: ${first}`
  return `${asked.toLocaleString('en')}, ${verdict}; p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)}, slowest ${slowest.toFixed(1)} ms`
}

function failuresFinding(log: readonly { level?: number; err?: { message?: string } }[]): Finding {
  const failures = log.filter(({ level }) => level !== undefined && level >= 50)
  return {
    what: 'failures in the server’s log',
    bar: 'none',
    measured: `${failures.length}${failures.length === 0 ? '' : `: ${failures[0]!.err?.message}`}`,
    met: failures.length === 0,
  }
}
