import type { Command } from 'commander'
import { ACCESS_SETTINGS } from '../../acts/people.ts'
import * as doc from '../../acts/schema.ts'
import { endSession, openSessions, SESSION } from '../../acts/ways-in.ts'
import type { Account } from '../../base/domain/account.ts'
import type { Store } from '../../engine/store/store.ts'
import { type CommandResult, command, onStore, option } from '../command.ts'
import { id } from '../options.ts'
import { card, listing } from '../terminal.ts'

const SHOWN = doc.record(SESSION, 'A browser in which a person has signed in.')

type Options = { end?: number; endAll?: boolean }

/** The sessions of a person, whom `personOf` finds. */
export function sessionsCommand(
  personOf: (store: Store, person: string) => Promise<Account>,
): Command {
  async function sessions(store: Store, options: Options, person: string): Promise<CommandResult> {
    const { id: account } = await personOf(store, person)
    if (options.endAll === true) await store.access.endSessions(account, null)
    else if (options.end !== undefined) {
      const hasEnded = await endSession(store, account, options.end, Date.now())
      if (!hasEnded) throw new Error(`this person has no session ${options.end}`)
    }
    const open = await openSessions(store, account, Date.now())
    return listing(open.map(SHOWN.write), [
      'id',
      'browser',
      'created_at',
      'last_used_at',
      'expires_at',
    ])
  }

  return command('sessions', 'list the open sessions of a person, or end them at once', [
    'people sessions ada@example.com',
    'people sessions ada@example.com --end 7',
    'people sessions ada@example.com --end-all',
  ])
    .addOption(option('--end <session>', 'end this session, by its id').argParser(id))
    .addOption(option('--end-all', 'end all of them'))
    .action(onStore(sessions))
}

/** The settings for all people. */
export function accessSettingsCommand(): Command {
  return command('settings', 'show or change the settings of all people', [
    'people settings',
    'people settings --requires-totp',
  ])
    .addOption(
      option(
        '--requires-totp',
        'require codes of an authenticator app from everybody who signs in with a password',
      ),
    )
    .addOption(option('--no-requires-totp', 'the opposite of --requires-totp'))
    .action(onStore(settings))
}

async function settings(
  { access }: Store,
  { requiresTotp }: { requiresTotp?: boolean },
): Promise<CommandResult> {
  const kept = await access.settings()
  const next = requiresTotp === undefined ? kept : await access.setSettings({ requiresTotp })
  const json = ACCESS_SETTINGS.write(next)
  return { json, text: card(json) }
}
