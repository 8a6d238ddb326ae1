import { useState } from 'react'
import {
  Menu,
  MenuItem,
  MenuSection,
  MenuTrigger,
  Popover,
  Button as PressButton,
  Header as SectionHead,
  Separator,
} from 'react-aria-components'
import { change } from '../api/client.ts'
import { PREFIX } from '../api/prefix.ts'
import { useServer, useSession } from '../api/queries.ts'
import { queryClient } from '../api/query-client.ts'
import { chooseLanguage, chosenLanguage, LANGUAGES } from '../language/language.ts'
import { t } from '../language/text.ts'
import { Sessions } from '../people/Sessions.tsx'
import { SetUpCodes } from '../sign-in/SetUpCodes.tsx'
import { Dialog } from '../ui/dialog/Dialog.tsx'
import { Icon } from '../ui/Icon.tsx'
import { type Theme, useTheme } from '../ui/theme.ts'
import { useUtc } from '../ui/time/time-zone.ts'
import { toast } from '../ui/toast/Toast.tsx'
import { AccountLabel } from './AccountButton.tsx'
import { ChangePassword } from './ChangePassword.tsx'
import { EndCodes } from './EndCodes.tsx'
import { LinkSignOn } from './LinkSignOn.tsx'
import '../ui/Menu.css'

const THEMES: [Theme, string][] = [
  ['system', t('System')],
  ['light', t('Light')],
  ['dark', t('Dark')],
]

const ZONES: ['local' | 'utc', string][] = [
  ['local', t('My time zone')],
  ['utc', t('UTC')],
]

type Opened = 'password' | 'codes' | 'end-codes' | 'link' | 'sessions'

/** Open at first: it is loaded when somebody asks for it. */
export function AccountMenu() {
  const [open, setOpen] = useState<Opened | null>(null)
  const server = useServer()
  const provider = useSession().data?.sign_on ?? null
  return (
    <>
      <MenuTrigger defaultOpen>
        <PressButton className="button button-quiet">
          <AccountLabel />
        </PressButton>
        <Popover placement="bottom end" className="popover">
          <Menu className="menu" aria-label={t('Account')}>
            <AccountItems onOpen={setOpen} />
            <Separator className="menu-line" />
            <LookSections />
            <Separator className="menu-line" />
            <MenuItem className="menu-item" onAction={() => signOut(provider !== null)}>
              {t('Sign out')}
            </MenuItem>
            {server.data !== undefined && (
              <MenuSection>
                <SectionHead className="menu-head">
                  {t('Fleetgate {{version}}', { version: server.data.version })}
                </SectionHead>
              </MenuSection>
            )}
          </Menu>
        </Popover>
      </MenuTrigger>
      <OpenDialog open={open} provider={provider} onClose={() => setOpen(null)} />
    </>
  )
}

/** The acts on the own account. */
function AccountItems({ onOpen }: { onOpen: (opened: Opened) => void }) {
  const { account, sign_on: provider = null } = useSession().data ?? {}
  const canLink = provider !== null && account?.has_password && !account.is_linked
  return (
    <>
      {account && (
        <MenuSection>
          <SectionHead className="menu-head">{`${account.name}, ${account.email}`}</SectionHead>
        </MenuSection>
      )}
      {account?.has_password && (
        <MenuItem className="menu-item" onAction={() => onOpen('password')}>
          {t('Change password')}
        </MenuItem>
      )}
      {account?.has_password && (
        <MenuItem className="menu-item" onAction={() => onOpen('codes')}>
          {account.has_totp
            ? t('Set up two-factor authentication again')
            : t('Set up two-factor authentication')}
        </MenuItem>
      )}
      {account?.has_totp && (
        <MenuItem className="menu-item" onAction={() => onOpen('end-codes')}>
          {t('Turn off two-factor authentication')}
        </MenuItem>
      )}
      {canLink && (
        <MenuItem className="menu-item" onAction={() => onOpen('link')}>
          {t('Link to {{provider}}', { provider })}
        </MenuItem>
      )}
      {account && (
        <MenuItem className="menu-item" onAction={() => onOpen('sessions')}>
          {t('Sessions')}
        </MenuItem>
      )}
    </>
  )
}

/** The theme, the time zone of times and the language. */
function LookSections() {
  const [theme, setTheme] = useTheme()
  const [utc, setUtc] = useUtc()
  return (
    <>
      <Choice title={t('Theme')} options={THEMES} value={theme} onChange={setTheme} />
      <Choice
        title={t('Time zone')}
        options={ZONES}
        value={utc ? 'utc' : 'local'}
        onChange={(zone) => setUtc(zone === 'utc')}
      />
      <Choice
        title={t('Language')}
        options={LANGUAGES.map((each) => [each, nameOf(each)])}
        value={chosenLanguage()}
        onChange={chooseLanguage}
      />
    </>
  )
}

type ChoiceProps<Id extends string> = {
  title: string
  options: [Id, string][]
  value: Id
  onChange: (id: Id) => void
}

function Choice<Id extends string>({ title, options, value, onChange }: ChoiceProps<Id>) {
  return (
    <MenuSection
      selectionMode="single"
      disallowEmptySelection
      selectedKeys={[value]}
      onSelectionChange={(keys) => onChange([...keys][0] as Id)}
    >
      <SectionHead className="menu-head">{title}</SectionHead>
      {options.map(([id, name]) => (
        <MenuItem key={id} id={id} className="menu-item">
          <Icon name="done" size={14} />
          {name}
        </MenuItem>
      ))}
    </MenuSection>
  )
}

/** The name of a language in that language. */
function nameOf(language: string): string {
  const name = new Intl.DisplayNames(language, { type: 'language' }).of(language) ?? language
  return name.charAt(0).toLocaleUpperCase(language) + name.slice(1)
}

type OpenDialogProps = { open: Opened | null; provider: string | null; onClose: () => void }

function OpenDialog({ open, provider, onClose }: OpenDialogProps) {
  switch (open) {
    case 'password':
      return <ChangePassword onClose={onClose} />
    case 'codes':
      return (
        <Dialog title={t('Set up two-factor authentication')} onClose={onClose}>
          <SetUpCodes
            onDone={() => {
              onClose()
              void queryClient.invalidateQueries({ queryKey: ['session'] })
            }}
          />
        </Dialog>
      )
    case 'end-codes':
      return <EndCodes onClose={onClose} />
    case 'link':
      return provider !== null && <LinkSignOn name={provider} onClose={onClose} />
    case 'sessions':
      return <Sessions title={t('Your sessions')} path="/account/sessions" onClose={onClose} />
    case null:
      return null
  }
}

/** `isSignOn`: the provider of single sign-on ends its session too, if this one is of it, and leads back. */
async function signOut(isSignOn: boolean): Promise<void> {
  try {
    await change('DELETE', '/session')
    // A new load of the page drops all that was fetched.
    location.assign(isSignOn ? `${PREFIX}/sign-on/end` : '/')
  } catch {
    toast(t('You are still signed in: the server did not respond. Try again.'))
    await queryClient.invalidateQueries({ queryKey: ['session'] })
  }
}
