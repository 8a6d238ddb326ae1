import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { I18nProvider } from 'react-aria-components'
import { createRoot } from 'react-dom/client'
import { queryClient } from './api/query-client.ts'
import { App } from './app/App.tsx'
import { Toasts } from './ui/dialog/Toast.tsx'
import './ui/tokens.css'
import './ui/base.css'

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    {/* Text and reading direction have one language, regardless of the browser's. */}
    <I18nProvider locale="en-US">
      <QueryClientProvider client={queryClient}>
        <App />
        <Toasts />
      </QueryClientProvider>
    </I18nProvider>
  </StrictMode>,
)
