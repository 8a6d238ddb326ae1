import { useState } from 'react'
import { t } from '../language/text.ts'
import { Button } from '../ui/Button.tsx'
import { Icon } from '../ui/Icon.tsx'
import { Late } from '../ui/page/Late.tsx'
import { lazily } from '../ui/page/lazily.ts'

const AccountMenu = lazily(() => import('./AccountMenu.tsx'), 'AccountMenu')

/** The account in the header. Its menu and dialogs are loaded when it is first opened. */
export function AccountButton() {
  const [isAsked, setAsked] = useState(false)
  const button = (
    <Button look="quiet" aria-haspopup="menu" onClick={() => setAsked(true)}>
      <AccountLabel />
    </Button>
  )
  return isAsked ? (
    <Late fallback={button}>
      <AccountMenu />
    </Late>
  ) : (
    button
  )
}

export function AccountLabel() {
  return (
    <>
      <Icon name="account" size={18} />
      <span className="account-word">{t('Account')}</span>
    </>
  )
}
