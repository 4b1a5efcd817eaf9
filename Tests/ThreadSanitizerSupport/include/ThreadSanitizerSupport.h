// Nothing to call: linking this target is all.
#pragma once
