import type { Command } from 'commander'
import { writtenInstant } from '../../acts/document-schema.ts'
import { LINK_ACTS } from '../../acts/link-acts.ts'
import { LINK_RULES } from '../../base/domain/access-settings.ts'
import { DISCLOSEE_RULES, type Disclosee } from '../../base/domain/credential.ts'
import { GRANT_RULES } from '../../base/domain/grant.ts'
import { MAX_LINK_DAYS } from '../../base/domain/link.ts'
import { helpOf } from '../../base/domain/setting-rule.ts'
import { HOUR_MS } from '../../base/domain/time/time.ts'
import { actCommand } from '../act-command.ts'
import { type CommandResult, group, option } from '../command.ts'
import { UsageError } from '../failure.ts'
import { addSettingOptions, duration, ending, givenBody, orAll, settingReader } from '../options.ts'
import { card, listing } from '../terminal.ts'
import { givenGrants, grantOption, grantText } from './grant-option.ts'

type Options = Readonly<Record<string, unknown>>
type Shown = Awaited<ReturnType<typeof LINK_ACTS.revokeLink.run>>

export function linkCommands(description: string): Command {
  const { createLink, listLinks, rotateLink, revokeLink } = LINK_ACTS
  return group('link', description, [
    actCommand(createLink, {
      name: 'create',
      examples: [
        "link create --org 1 --objects 7 --until 8h --name 'Delivery 4711' --way",
        "link create --org 1 --objects 7,8 --until 2026-12-01T18:00:00Z --recipient 'Shipper Ltd' --purpose 'Delivery'",
        "link create --org 1 --grant 'objects=7;from=2026-11-20T08:00:00Z;until=2026-11-21' --until 7d",
      ],
      options: withOptions,
      body: newBody,
      show: createdResult,
    }),
    actCommand(listLinks, {
      name: 'list',
      examples: ['link list --org 1'],
      show: ({ items }) =>
        listing(items, [
          ...(['id', 'name', 'recipient', 'purpose'] as const),
          ['SHOWS', ({ grants }) => grants.map(grantText).join(' ')],
          ...(['created_at', 'expires_at', 'revoked_at'] as const),
          ['READS', 'reads_30_days'],
          'last_read_at',
        ]),
    }),
    actCommand(rotateLink, {
      name: 'rotate',
      examples: ['link rotate --org 1 3', 'link rotate --org 1 3 --overlap 1h --json'],
      options: (to) =>
        to.addOption(
          option('--overlap <duration>', 'for how long the old URL still works')
            .argParser(duration)
            .default(0, 'it stops working at once'),
        ),
      body: ({ overlap }) => ({ overlap_hours: (overlap as number) / HOUR_MS }),
      show: createdResult,
    }),
    actCommand(revokeLink, {
      name: 'revoke',
      examples: ['link revoke --org 1 3'],
      show: (link) => ({ json: link, text: card(fieldsOf(link)) }),
    }),
  ])
}

function withOptions(to: Command): Command {
  const objects = orAll(GRANT_RULES.objects, 'all', 'objects')
  const until = `when it ends: a date, a time or a duration such as 8h, at most ${MAX_LINK_DAYS} days ahead`
  const made = to
    .addOption(
      option('--name <name>', 'its name, which its viewers see')
        .argParser(settingReader(LINK_RULES.name))
        .makeOptionMandatory(),
    )
    .addOption(
      option('--until <when>', until)
        .argParser((written) => ending(written, Date.now()))
        .makeOptionMandatory(),
    )
    .addOption(
      option('--objects <ids>', helpOf(GRANT_RULES.objects)).argParser((written) =>
        objects(written),
      ),
    )
    .addOption(grantOption(', instead of --objects'))
    .addOption(option('--way', helpOf(LINK_RULES.showsWay)))
  return addSettingOptions<Disclosee>(made, DISCLOSEE_RULES)
}

function newBody({ name, until, objects, way = false, ...options }: Options) {
  const { grants } = givenGrants(options)
  if ((grants == null) === (objects === undefined)) {
    throw new UsageError('use one of --objects or --grant')
  }
  return {
    ...{ name, expires_at: writtenInstant(until as number), shows_way: way },
    ...givenBody<Disclosee>(DISCLOSEE_RULES, options),
    grants: grants ?? [{ objects: objects === '' ? null : objects }],
  }
}

function createdResult({ link, url }: { link: Shown; url: string }): CommandResult {
  const text = `${card({ ...fieldsOf(link), url })}\n\nSave the URL now: it will not be shown again.`
  return { json: { ...link, url }, text }
}

function fieldsOf({ grants, shows_way, lacks_purpose, ...link }: Shown) {
  return {
    ...link,
    shows: grants.map(grantText).join(' '),
    shows_way: String(shows_way),
    ...(lacks_purpose && { lacks_purpose: String(lacks_purpose) }),
  }
}
