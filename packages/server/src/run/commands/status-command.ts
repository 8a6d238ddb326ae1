import type { Command } from 'commander'
import manifest from '../../../package.json' with { type: 'json' }
import { formatInstant } from '../../base/domain/time/time.ts'
import {
  type CitusNode,
  type Layout,
  MAX_UNPACKED,
  type RecordFailure,
  type StoreContents,
  type StoreStatus,
} from '../../engine/store/store-status.ts'
import { type CommandResult, command, noDataIn, print, type SharedOptions } from '../command.ts'
import { databaseLayout, hasStore, storeStatus } from '../compose.ts'
import { locationOf, placeText } from '../location.ts'
import { type Cell, card, grouped, megabytes } from '../terminal.ts'

const SHOWN_PARTS = 5

/** Reads the store without opening it for writing, so a newer Fleetgate does not migrate it. */
export function statusCommand(description: string): Command {
  return command('status', description, [
    'status',
    'status --database postgres://db.example.com/fleetgate --json',
  ])
    .addHelpText(
      'after',
      '\nThe command only reads. It ends with exit code 1 if it finds a problem, such as data that another version has to open.',
    )
    .action(async (options: SharedOptions, self: Command) => {
      const location = locationOf(self)
      if ('folder' in location && !hasStore(location.folder)) throw noDataIn(location.folder)
      const place = placeText(location)
      const status = await storeStatus(location)
      const layout = 'database' in location ? await databaseLayout(location.database) : null
      print(resultOf(place, status, layout), options.json === true)
    })
}

function resultOf(place: string, status: StoreStatus, layout: Layout | null): CommandResult {
  const { sizes, contents, isServed } = status
  const problems = [...status.problems, ...versionProblem(status), ...layoutProblems(layout)]
  const bytes = sizes.reduce((sum, part) => sum + part.bytes, 0)
  const json = {
    fleetgate: manifest.version,
    node: process.versions.node,
    store: {
      place,
      engine: status.engine,
      data_version: status.version,
      known_data_version: status.knownVersion,
      served: isServed,
    },
    healthy: problems.length === 0,
    problems,
    bytes,
    parts: sizes,
    contents: contents && contentsDocument(contents, status.failures),
    layout: layout && layoutDocument(layout),
  }
  const text = card({
    Fleetgate: `${manifest.version} on Node.js ${process.versions.node}`,
    Store: `${status.engine}, ${place}, data version ${status.version}`,
    ...(isServed !== null && { Served: isServed ? 'by a server' : 'by nobody' }),
    Size: `${megabytes(bytes)}: ${sizes.slice(0, SHOWN_PARTS).map(partText).join(', ')}`,
    ...(contents && contentsFields(contents)),
    ...(status.failures.length > 0 && { Failures: status.failures.map(failureText).join('; ') }),
    ...(layout && { Citus: `${layout.citus}: ${layout.nodes.map(nodeText).join(', ')}` }),
  })
  if (problems.length === 0) return { json, text }
  return { json, text, failure: problems.join(' ') }
}

function versionProblem({ version, knownVersion, usableFrom, sizes }: StoreStatus): string[] {
  if (sizes.length === 0) {
    return [
      "There is no Fleetgate data yet: 'fleetgate serve' or 'fleetgate org create' creates it.",
    ]
  }
  if (version < knownVersion) {
    return [
      `The data has version ${version}. This Fleetgate upgrades it to ${knownVersion} when it starts or is used.`,
    ]
  }
  if (usableFrom > knownVersion) {
    return [
      `The data has version ${version}, but this Fleetgate supports versions up to ${knownVersion}: run the newer Fleetgate that upgraded it.`,
    ]
  }
  return []
}

function layoutProblems(layout: Layout | null): string[] {
  if (layout === null) return []
  const silent = layout.nodes.filter(({ isActive, shards }) => !isActive || shards === null)
  const problems = silent.map(({ name }) => `The Citus server ${name} does not answer.`)
  if (layout.missing.length === 0) return problems
  const names = layout.missing.join(', ')
  return [...problems, `The tables ${names} are not distributed: run 'fleetgate distribute'.`]
}

function layoutDocument({ citus, nodes, tables, missing }: Layout) {
  return {
    citus,
    nodes: nodes.map(({ name, isCoordinator, isActive, shards, bytes }) => ({
      ...{ name, coordinator: isCoordinator, active: isActive, shards, bytes },
    })),
    tables,
    missing,
  }
}

function nodeText({ name, isCoordinator, shards, bytes }: CitusNode): string {
  if (isCoordinator) return `${name} (coordinator)`
  return `${name} ${shards} shards, ${bytes === null ? '-' : megabytes(bytes)}`
}

function contentsDocument(contents: StoreContents, failures: readonly RecordFailure[]) {
  return {
    organizations: contents.organizations,
    objects: contents.objects,
    packed: { positions: contents.packedPositions, bytes: contents.packedBytes },
    unpacked: { positions: contents.unpackedPositions, bytes: contents.unpackedBytes },
    recompute: { objects: contents.objectsToRecompute },
    wrong_clocks: { objects: contents.objectsWithWrongClocks },
    records: {
      organizations: contents.organizationsWithRecords,
      behind: contents.organizationsBehind,
      behind_since: contents.behindSince === null ? null : formatInstant(contents.behindSince),
      failed: contents.recordFailures,
      failures: failures.map(failureDocument),
    },
    webhooks: {
      all: contents.webhooks,
      off: contents.webhooksOff,
      failing_deliveries: contents.deliveriesFailing,
    },
  }
}

function failureDocument({ organization, kind, id, failedAt, error }: RecordFailure) {
  return { organization, kind, id, failed_at: formatInstant(failedAt), error }
}

function failureText({ organization, kind, id, failedAt, error }: RecordFailure): string {
  return `${kind} ${id} of organization ${organization}, ${formatInstant(failedAt)}: ${error}`
}

function contentsFields(contents: StoreContents): Record<string, Cell> {
  const { behindSince } = contents
  const since = behindSince === null ? '' : ` since ${formatInstant(behindSince)}`
  return {
    Organizations: contents.organizations,
    Objects: contents.objects,
    'Packed positions': `${grouped(contents.packedPositions)} in ${megabytes(contents.packedBytes)}`,
    'Not packed': unpackedText(contents),
    'To recompute': contents.objectsToRecompute,
    'Wrong clocks': contents.objectsWithWrongClocks,
    'Records behind': `${contents.organizationsBehind} of ${contents.organizationsWithRecords}${since}`,
    'Records failed': contents.recordFailures,
    'Webhooks off': `${contents.webhooksOff} of ${contents.webhooks}`,
    'Failing deliveries': contents.deliveriesFailing,
  }
}

function unpackedText({ unpackedPositions, unpackedBytes }: StoreContents): string {
  const orMore = unpackedPositions === MAX_UNPACKED ? ' or more' : ''
  return `${grouped(unpackedPositions)}${orMore} older than two days, in ${megabytes(unpackedBytes)}`
}

function partText({ name, bytes }: StoreStatus['sizes'][number]): string {
  return `${name} ${megabytes(bytes)}`
}
