import { TestPin } from '#web/staff/developer/test-pin.tsx';
import { Frame } from './frame.tsx';

export default function TestPinPage() {
  return (
    <Frame title="Test PIN" lead="A code for the first door that works from now until 7 pm.">
      <TestPin />
    </Frame>
  );
}
