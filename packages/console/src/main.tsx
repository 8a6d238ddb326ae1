import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { I18nProvider } from 'react-aria-components'
import { createRoot } from 'react-dom/client'
import { queryClient } from './api/query-client.ts'
import { startLanguage } from './language/language.ts'
import './ui/tokens.css'
import './ui/base.css'

// Pages have texts in constants, so they load after the language.
await startLanguage()
const [{ App }, { Toasts }, { LOCALE }] = await Promise.all([
  import('./app/App.tsx'),
  import('./ui/toast/Toast.tsx'),
  import('./language/locale.ts'),
])

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <I18nProvider locale={LOCALE}>
      <QueryClientProvider client={queryClient}>
        <App />
        <Toasts />
      </QueryClientProvider>
    </I18nProvider>
  </StrictMode>,
)
