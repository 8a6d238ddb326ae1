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
import { change, PREFIX } from '../api/client.ts'
import { useServer, useSession } from '../api/queries.ts'
import { queryClient } from '../api/query-client.ts'
import { Sessions } from '../people/Sessions.tsx'
import { SetUpCodes } from '../sign-in/SetUpCodes.tsx'
import { Dialog } from '../ui/dialog/Dialog.tsx'
import { toast } from '../ui/dialog/Toast.tsx'
import { Icon } from '../ui/Icon.tsx'
import { type Theme, useTheme } from '../ui/theme.ts'
import { useUtc } from '../ui/time/time-zone.ts'
import { ChangePassword } from './ChangePassword.tsx'
import { EndCodes } from './EndCodes.tsx'
import { LinkSignOn } from './LinkSignOn.tsx'
import '../ui/Menu.css'

const THEMES: [Theme, string][] = [
  ['system', 'As the system'],
  ['light', 'Light'],
  ['dark', 'Dark'],
]

type Opened = 'password' | 'codes' | 'end-codes' | 'link' | 'sessions'

export function AccountMenu() {
  const [open, setOpen] = useState<Opened | null>(null)
  const server = useServer()
  const provider = useSession().data?.sign_on ?? null
  return (
    <>
      <MenuTrigger>
        <PressButton className="button button-quiet">
          <Icon name="account" size={18} />
          Account
          <Icon name="down" size={14} />
        </PressButton>
        <Popover placement="bottom end" className="popover">
          <Menu className="menu" aria-label="Account">
            <AccountItems onOpen={setOpen} />
            <Separator className="menu-line" />
            <LookSections />
            <Separator className="menu-line" />
            <MenuItem className="menu-item" onAction={() => signOut(provider !== null)}>
              Sign out
            </MenuItem>
            {server.data !== undefined && (
              <MenuSection>
                <SectionHead className="menu-head">Fleetgate {server.data.version}</SectionHead>
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
          Change password
        </MenuItem>
      )}
      {account?.has_password && (
        <MenuItem className="menu-item" onAction={() => onOpen('codes')}>
          {account.has_totp ? 'Set up codes again' : 'Set up codes'}
        </MenuItem>
      )}
      {account?.has_totp && (
        <MenuItem className="menu-item" onAction={() => onOpen('end-codes')}>
          End codes
        </MenuItem>
      )}
      {canLink && (
        <MenuItem className="menu-item" onAction={() => onOpen('link')}>
          Link with {provider}
        </MenuItem>
      )}
      {account && (
        <MenuItem className="menu-item" onAction={() => onOpen('sessions')}>
          Sessions
        </MenuItem>
      )}
    </>
  )
}

/** The colours, and the time zone of times. */
function LookSections() {
  const [theme, setTheme] = useTheme()
  const [utc, setUtc] = useUtc()
  return (
    <>
      <MenuSection
        selectionMode="single"
        disallowEmptySelection
        selectedKeys={[theme]}
        onSelectionChange={(keys) => setTheme([...keys][0] as Theme)}
      >
        <SectionHead className="menu-head">Colours</SectionHead>
        {THEMES.map(([id, name]) => (
          <MenuItem key={id} id={id} className="menu-item">
            <Icon name="done" size={14} />
            {name}
          </MenuItem>
        ))}
      </MenuSection>
      <MenuSection
        selectionMode="single"
        disallowEmptySelection
        selectedKeys={[utc ? 'utc' : 'local']}
        onSelectionChange={(keys) => setUtc([...keys][0] === 'utc')}
      >
        <SectionHead className="menu-head">Times</SectionHead>
        <MenuItem id="local" className="menu-item">
          <Icon name="done" size={14} />
          In my time zone
        </MenuItem>
        <MenuItem id="utc" className="menu-item">
          <Icon name="done" size={14} />
          In UTC
        </MenuItem>
      </MenuSection>
    </>
  )
}

type OpenDialogProps = { open: Opened | null; provider: string | null; onClose: () => void }

function OpenDialog({ open, provider, onClose }: OpenDialogProps) {
  switch (open) {
    case 'password':
      return <ChangePassword onClose={onClose} />
    case 'codes':
      return (
        <Dialog title="Set up codes" onClose={onClose}>
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
      return <Sessions title="Your sessions" path="/account/sessions" onClose={onClose} />
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
    toast('You are still signed in: the server did not answer. Try again.')
    await queryClient.invalidateQueries({ queryKey: ['session'] })
  }
}
