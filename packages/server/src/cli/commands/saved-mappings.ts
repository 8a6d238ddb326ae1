import type { Command } from 'commander'
import { MAPPING_RULES } from '../../domain/import-formats.ts'
import { savedMappingDocument } from '../../operator/imports.ts'
import type { Store } from '../../store/store.ts'
import { type CommandResult, command, onStore } from '../command.ts'
import { harmless } from '../failure.ts'
import { id, type OwnerOptions, organizationOf, ownerOption, settingReader } from '../options.ts'
import { listing } from '../terminal.ts'

const MAPPING = "its id, as 'import mappings' shows it"

export function savedMappingsCommand(): Command {
  return command('mappings', 'list the choices with which CSV files were imported', [
    'import mappings --org 1',
  ])
    .addOption(ownerOption())
    .action(onStore(list))
}

export function renameMappingCommand(): Command {
  return command('rename-mapping', 'name the choices for files with the same headings', [
    "import rename-mapping --org 1 81423940 'Wialon report'",
  ])
    .argument('<mapping>', MAPPING, id)
    .argument('<name>', `its name: ${MAPPING_RULES.name.says}`, settingReader(MAPPING_RULES.name))
    .addOption(ownerOption())
    .action(onStore(rename))
}

export function forgetMappingCommand(): Command {
  return command('forget-mapping', 'forget the choices for files with the same headings', [
    'import forget-mapping --org 1 81423940',
  ])
    .argument('<mapping>', MAPPING, id)
    .addOption(ownerOption())
    .action(onStore(forget))
}

async function list(store: Store, { org }: OwnerOptions): Promise<CommandResult> {
  await organizationOf(store, org)
  const json = (await store.savedMappings.list(org)).map(savedMappingDocument)
  if (json.length === 0) return { json, text: 'No choices are saved.' }
  return listing(json, [
    'id',
    'name',
    'kind',
    'saved_at',
    ['CHOICES', ({ settings }) => harmless(choicesText(settings))],
    ['HEADINGS', ({ headings }) => harmless(headings.join(', '))],
  ])
}

type Settings = ReturnType<typeof savedMappingDocument>['settings']

function choicesText({ columns, ...others }: Settings): string {
  const chosen = Object.entries({ ...columns, ...others }).filter(([, value]) => value !== null)
  return chosen.map(([name, value]) => `${name}=${value}`).join(', ')
}

async function rename(
  store: Store,
  { org }: OwnerOptions,
  mapping: number,
  name: string,
): Promise<CommandResult> {
  await organizationOf(store, org)
  if (!(await store.savedMappings.rename(org, mapping, name))) throw missing(org, mapping)
  return { json: { id: mapping, name }, text: `Mapping ${mapping} is now '${harmless(name)}'.` }
}

async function forget(
  store: Store,
  { org }: OwnerOptions,
  mapping: number,
): Promise<CommandResult> {
  await organizationOf(store, org)
  if (!(await store.savedMappings.delete(org, mapping))) throw missing(org, mapping)
  return { json: { id: mapping, deleted: true }, text: `Mapping ${mapping} is forgotten.` }
}

function missing(org: number, mapping: number): Error {
  return new Error(
    `organization ${org} has no saved mapping ${mapping}; 'fleetgate import mappings --org ${org}' shows those it has`,
  )
}
