import { Component, type ReactNode } from 'react';
import { Button } from './button.tsx';

/**
 * What stands there when a page breaks or could not be fetched, instead of nothing.
 * A class, as React offers no other way to catch these errors.
 */
export class CrashScreen extends Component<
  { readonly page: string; readonly children: ReactNode },
  { readonly broken: boolean }
> {
  override state = { broken: false };

  static getDerivedStateFromError(): { broken: boolean } {
    return { broken: true };
  }

  override componentDidUpdate(before: { readonly page: string }): void {
    if (this.state.broken && before.page !== this.props.page) this.setState({ broken: false });
  }

  override render(): ReactNode {
    if (!this.state.broken) return this.props.children;
    return (
      <main className="mx-auto grid min-h-dvh max-w-xl place-content-center gap-6 px-6">
        <h1 className="text-5xl sm:text-7xl">The needle jumped</h1>
        <p className="text-fog">
          This page could not be shown. Nothing you booked or paid is lost. Load it again; if that does not help, check
          your connection.
        </p>
        <Button className="justify-self-start" onClick={() => window.location.reload()}>
          Load again
        </Button>
      </main>
    );
  }
}
