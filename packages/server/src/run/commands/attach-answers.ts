import { Gauge, Registry } from 'prom-client'
import { formatInstant } from '../../base/domain/time/time.ts'
import { rounded } from '../../read/formats/number-format.ts'
import { type Attachment, type Remark, refusedIn } from '../../work/attach/attach-state.ts'
import { devicesOf, type Plan } from '../../work/attach/plan.ts'
import type { DeviceReport } from '../../work/attach/report.ts'
import type { TraccarCatalogue } from '../../work/attach/traccar-tables.ts'
import type { CommandResult } from '../command.ts'
import { harmless } from '../failure.ts'
import { type Cell, counted, grouped, table } from '../terminal.ts'

/*
 * The answers of `fleetgate attach`: a proposed plan, and how Traccar and Fleetgate compare.
 */

/** Lines of a table in the text. `--json` has all. */
const SHOWN = 30

export function proposalAnswer(
  made: { file: string; engine: string; version: string },
  plan: Plan,
  traccar: TraccarCatalogue,
): CommandResult {
  const organizations = plan.organizations.map((each) => {
    const devices = devicesOf(traccar, each).map(({ uniqueId }) => uniqueId)
    return { name: each.name, users: each.users, groups: each.groups, devices }
  })
  const planned = new Set(organizations.flatMap(({ devices }) => devices))
  const left = traccar.devices.map(({ uniqueId }) => uniqueId).filter((each) => !planned.has(each))
  const rows = organizations.map(({ name, users, groups, devices }) => [
    ...[name, users.join(', '), groups.join(', '), devices.length],
    `${devices.slice(0, 3).join(', ')}${devices.length > 3 ? ', …' : ''}`,
  ])
  const text = [
    `Traccar with the schema of version ${made.version}, in ${made.engine}`,
    table(['ORGANIZATION', 'USERS', 'GROUPS', 'DEVICES', ''], rows),
    ...(left.length === 0
      ? []
      : [`In no organization: ${harmless(left.slice(0, SHOWN).join(', '))}`]),
    `Wrote ${made.file}. Edit it, and run the same command again to import everything`,
  ].join('\n\n')
  return { json: { ...made, organizations, left_out: left }, text }
}

/** How far a plan is, and how many positions are missing that were taken. */
export function sweepAnswer(
  { attachment }: { attachment: Attachment },
  devices: readonly DeviceReport[],
  read = 0,
): CommandResult {
  const { sweep, remarks } = attachment
  const json = {
    version: sweep?.version ?? null,
    begun_at: shownTime(sweep?.begun),
    ended_at: shownTime(sweep?.ended),
    read,
    devices: devices.map(({ traccarKm, hereKm, ...each }) => ({
      ...each,
      missing: missingOf(each),
      distance: { traccar_km: rounded(traccarKm, 1), here_km: rounded(hereKm, 1) },
    })),
    remarks,
  }
  const sum = (of: (each: DeviceReport) => number) =>
    devices.reduce((all, each) => all + of(each), 0)
  const text = [
    sweep === null
      ? 'Nothing was imported yet'
      : `Traccar ${sweep.version}, compared ${shownTime(sweep.ended) ?? 'and not yet to the end'}`,
    `${counted(devices.length, 'device')}: ${counted(
      sum(({ traccar }) => traccar),
      'position',
    )} in Traccar, ${grouped(sum(({ here }) => here))} here`,
    deviceTable(devices),
    remarkLines(remarks),
  ].filter((each) => each !== '')
  return { json, text: text.join('\n\n') }
}

/** How far a plan is, in Prometheus's text format: for the textfile collector of node_exporter. */
export function sweepMetrics(
  { attachment: { sweep, remarks } }: { attachment: Attachment },
  devices: readonly DeviceReport[],
): Promise<string> {
  const registry = new Registry()
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name: `fleetgate_attach_${name}`, help, labelNames, registers: [registry] })
  const ended = gauge(
    'compared_timestamp_seconds',
    'End of the last comparison; 0: none has ended.',
  )
  ended.set((sweep?.ended ?? 0) / 1000)
  gauge('remarks', 'Items that were not imported, or that differ.').set(remarks.length)
  const positions = gauge('positions', 'Positions, in Traccar and here.', ['in'])
  const deleted = gauge('deleted_positions', 'Positions that were imported and deleted since.', [
    'in',
  ])
  const refused = gauge('refused_positions', 'Positions that are not stored.', ['reason'])
  for (const each of devices) {
    positions.inc({ in: 'traccar' }, each.traccar)
    positions.inc({ in: 'here' }, each.here)
    deleted.inc({ in: 'traccar' }, each.gone)
    deleted.inc({ in: 'here' }, missingOf(each))
    for (const [reason, count] of Object.entries(each.reasons)) refused.inc({ reason }, count)
  }
  return registry.metrics()
}

/** Positions that were taken and are no longer stored: deleted here since, or past the retention. */
function missingOf({ traccar, gone, reasons, here }: Omit<DeviceReport, 'traccarKm' | 'hereKm'>) {
  return Math.max(0, traccar + gone - refusedIn(reasons) - here)
}

function deviceTable(devices: readonly DeviceReport[]): string {
  if (devices.length === 0) return ''
  const shown = devices
    .slice(0, SHOWN)
    .map((each): Cell[] => [
      ...[each.name, each.ident, each.organization, each.traccar, each.here],
      ...[rounded(each.traccarKm, 1), rounded(each.hereKm, 1), reasonsText(each)],
    ])
  const headings = ['DEVICE', 'IDENT', 'ORGANIZATION', 'TRACCAR', 'HERE']
  const whole = table([...headings, 'KM IN TRACCAR', 'KM HERE', 'DIFFERENCES'], shown)
  const more = devices.length - shown.length
  return more > 0 ? `${whole}\nand ${grouped(more)} more (--json)` : whole
}

function reasonsText(report: DeviceReport): string {
  const missing = missingOf(report)
  const counts = Object.entries({
    ...report.reasons,
    ...(missing > 0 && { 'deleted here since': missing }),
    ...(report.gone > 0 && { 'deleted in Traccar since': report.gone }),
  })
  return counts.map(([reason, count]) => `${reason} ${grouped(count)}`).join(', ')
}

function remarkLines(remarks: readonly Remark[]): string {
  const lines = remarks.slice(0, SHOWN).map(({ organization, about, problem }) => {
    return harmless(`${organization === null ? '' : `${organization}, `}${about}: ${problem}`)
  })
  const more = remarks.length - lines.length
  return [...lines, ...(more > 0 ? [`and ${grouped(more)} more (--json)`] : [])].join('\n')
}

function shownTime(time: number | null | undefined): string | null {
  return time === null || time === undefined ? null : formatInstant(time)
}
