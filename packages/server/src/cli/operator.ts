import type { Command } from 'commander'
import { resetOperator } from '../admin/open-admin-api.ts'
import type { Store } from '../store/store.ts'
import { type Answer, command, group, onStore } from './command.ts'
import { confirm, yesOption } from './confirmation.ts'
import { consoleUrlOption } from './console-options.ts'
import { linkOf } from './greeting.ts'

/** Where `serve` has the console if it is told nothing else. */
const CONSOLE_URL = 'http://127.0.0.1:7072'

export function operatorCommands(): Command {
  return group('operator', 'the operator: who comes into the console', [
    command('reset', 'forget the password and end all sessions; prints a link to set another', [
      'operator reset',
      'operator reset --yes --console-url https://console.example.com',
    ])
      .addOption(consoleUrlOption())
      .addOption(yesOption())
      .action(onStore(reset)),
  ])
}

async function reset(
  store: Store,
  options: { consoleUrl?: string; yes?: boolean },
): Promise<Answer> {
  if ((await store.operator.password()) !== null) {
    await confirm('this forgets the password of the console and ends all its sessions', options)
  }
  const setup = await resetOperator(store, Date.now())
  const link = linkOf({ url: options.consoleUrl ?? CONSOLE_URL, setup })
  return {
    json: { setup: link },
    text: `Open this link to set a password; it works once:\n\n  ${link}`,
  }
}
