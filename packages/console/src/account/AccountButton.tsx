import { t } from '../language/text.ts'
import { Icon } from '../ui/Icon.tsx'
import { LateMenu } from '../ui/page/LateMenu.tsx'
import { lazily } from '../ui/page/lazily.ts'

const AccountMenu = lazily(() => import('./AccountMenu.tsx'), 'AccountMenu')

/** The account in the header. Its menu and dialogs are loaded when it is first opened. */
export function AccountButton() {
  return (
    <LateMenu label={<AccountLabel />}>
      <AccountMenu />
    </LateMenu>
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
