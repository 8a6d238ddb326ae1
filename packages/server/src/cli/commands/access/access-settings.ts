import type { Command } from 'commander'
import { ACCESS_SETTINGS } from '../../../operator/people.ts'
import type { Store } from '../../../store/store.ts'
import { type CommandResult, command, onStore, option } from '../../command.ts'
import { card } from '../../terminal/table.ts'

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
