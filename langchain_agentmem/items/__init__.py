"""Items: values under a key in a namespace, as LangGraph's store keeps them."""
