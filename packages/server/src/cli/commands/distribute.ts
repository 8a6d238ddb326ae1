import type { Command } from 'commander'
import { distributeDatabase } from '../../compose.ts'
import type { DistributeProgress } from '../../store/store-status.ts'
import { type CommandResult, command, print } from '../command.ts'
import { UsageError } from '../failure.ts'
import { bareUrl, type LocationOptions, locationOf } from '../location.ts'
import { untilSignal } from '../processes/stop-signal.ts'
import { quietOption } from '../terminal.ts'

type DistributeOptions = LocationOptions & { quiet?: boolean; json?: boolean }

export function distributeCommand(): Command {
  return command(
    'distribute',
    'spread a database over the servers of its Citus; a second run completes it',
    ['distribute --database postgres://fleetgate@coordinator.example.com/fleetgate'],
  )
    .addOption(quietOption())
    .action(async (options: DistributeOptions, self: Command) => {
      print(await distribute(options, self), options.json === true)
    })
}

async function distribute({ quiet }: DistributeOptions, self: Command): Promise<CommandResult> {
  const location = locationOf(self)
  if ('folder' in location) {
    throw new UsageError('--database or DATABASE_URL has to name the coordinator of a Citus')
  }
  const began = performance.now()
  const { laidOut, layout } = await untilSignal((signal) =>
    distributeDatabase(location, (progress) => quiet !== true && show(progress), signal),
  )
  const seconds = Math.round(performance.now() - began) / 1000
  const workers = layout.nodes.filter(({ hasShards }) => hasShards)
  const json = {
    database: bareUrl(location.database),
    laid_out: laidOut,
    seconds,
    workers: workers.map(({ name }) => name),
  }
  const where = `${counted(workers.length, 'server')} (${workers.map(({ name }) => name).join(', ')})`
  if (laidOut.length === 0)
    return { json, text: `All tables are distributed over ${where} already` }
  return {
    json,
    text: `Laid out ${counted(laidOut.length, 'table')} over ${where} in ${seconds} s`,
  }
}

/** A line for each table, because each is a transaction that can take long. */
function show({ table, done, total }: DistributeProgress): void {
  process.stderr.write(`laying out ${table}, ${done + 1} of ${total}\n`)
}

function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`
}
