import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { PlaceTopic } from '../../base/domain/item-rules.ts'

/*
 * How far an attached Traccar has been taken, in a folder of files next to its plan. They are all that an attachment
 * keeps. Without them everything is read again: objects are found by ident, places by name and shape, and positions are
 * duplicates; what was deleted here, or changed in a place, is made again.
 */

/** Why positions of Traccar are not stored, with their numbers. */
export type Reasons = Record<string, number>

export function refusedIn(reasons: Reasons = {}): number {
  return Object.values(reasons).reduce((all, each) => all + each, 0)
}

/** The positions of a day that were taken, the time of the last one, and why some of them are not stored. */
export type TakenDay = [count: number, last: string, reasons?: Reasons]

/** A device for an organization. */
export type Target = {
  organization: number
  device: number
  object: number
  /** When the object was made: one that was made again under its id is another one. */
  createdAt: number
  /** Name and ident as Traccar had them when they were last taken. */
  name: string
  ident: string
  days: Record<string, TakenDay>
  /** Positions that are stored here, and that Traccar has deleted since. */
  gone: number
  /** Names of values that could not be read or kept, with their numbers. */
  unread: Reasons
}

/** The place of a geofence for an organization. `of`: a hash of all that it was made of. */
export type TakenPlace = { kind: PlaceTopic; id: number; of: string }

/** Something that was not taken, or that differs. */
export type Remark = { organization: string | null; about: string; problem: string }

/** When Traccar was last compared, in milliseconds since the epoch. */
export type Sweep = { begun: number; ended: number | null; version: string }

export type Attachment = {
  /** The name of the deployment whose data it is. */
  deployment: string
  /** The time zone in which positions were read. Null: none were yet. */
  timeZone: string | null
  /** Ids of organizations by their names in the plan. */
  organizations: Record<string, number>
  /** By ids of organization and geofence. */
  places: Record<string, TakenPlace>
  remarks: Remark[]
  sweep: Sweep | null
}

export type AttachState = {
  readonly attachment: Attachment
  /** The folder of the state. */
  readonly folder: string
  /** Writes the attachment. */
  save(): Promise<void>
  target(organization: number, device: number): Promise<Target | null>
  saveTarget(target: Target): Promise<void>
  forgetTarget(target: Pick<Target, 'organization' | 'device'>): Promise<void>
  /** Every target that was ever taken, one after the other. */
  targets(): AsyncGenerator<Target>
}

/** The state belongs to another deployment. */
export class OtherDeployment extends Error {
  override name = 'OtherDeployment'
}

const MAIN = 'attachment.json'
const TARGET = /^device-(\d+)-of-(\d+)\.json$/

/** Opens the state next to a plan. */
export async function openAttachState(plan: string, deployment: string): Promise<AttachState> {
  const folder = `${plan}.state`
  const none = {
    deployment,
    timeZone: null,
    organizations: {},
    places: {},
    remarks: [],
    sweep: null,
  }
  const attachment = (await readState<Attachment>(join(folder, MAIN))) ?? none
  if (attachment.deployment !== deployment) {
    throw new OtherDeployment(
      `${folder} belongs to another deployment of Fleetgate; copy the plan to a file with another name`,
    )
  }
  const fileOf = (organization: number, device: number) =>
    join(folder, `device-${device}-of-${organization}.json`)
  const target = (organization: number, device: number) =>
    readState<Target>(fileOf(organization, device))
  return {
    folder,
    attachment,
    save: () => writeState(folder, join(folder, MAIN), attachment),
    target,
    saveTarget: (each) => writeState(folder, fileOf(each.organization, each.device), each),
    forgetTarget: ({ organization, device }) => rm(fileOf(organization, device), { force: true }),
    async *targets() {
      const files = await readdir(folder).catch(() => [])
      const ids = files.flatMap((file) => {
        const [, device, organization] = TARGET.exec(file) ?? []
        return device === undefined ? [] : [[Number(organization), Number(device)] as const]
      })
      for (const [organization, device] of ids.sort(([a, b], [c, d]) => a - c || b - d)) {
        const found = await target(organization, device)
        if (found !== null) yield found
      }
    },
  }
}

/** Null: there is no such file, or it was cut off. */
async function readState<State>(file: string): Promise<State | null> {
  try {
    return JSON.parse(await readFile(file, 'utf8'))
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') {
      return null
    }
    throw error
  }
}

async function writeState(folder: string, file: string, state: object): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await writeFile(`${file}.new`, JSON.stringify(state), { mode: 0o600, flush: true })
  await rename(`${file}.new`, file)
}
