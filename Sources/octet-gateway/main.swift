print("octet-gateway")
