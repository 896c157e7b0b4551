import { TestPin } from '#web/staff/developer/test-pin.tsx';
import { Frame } from './frame.tsx';

export default function TestPinPage() {
  return (
    <Frame title="Test PIN" lead="Creates a code for the first door. It works from now until 7 pm.">
      <TestPin />
    </Frame>
  );
}
